package ngff

// Codes of findings.
const (
	Converted = "ngff-converted" // the metadata of a group become those of version 0.5
	Kept      = "ngff-kept"      // the metadata of a group stay as they are, and readers of 0.5 do not find them
	Paths     = "ngff-paths"     // nodes that the metadata name are elsewhere, or are not there
	Axes      = "ngff-axes"      // an array does not agree with the axes that the metadata give it
)
