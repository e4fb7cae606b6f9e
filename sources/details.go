package sources

import "context"

// Detail is a fact about a node that tools of the source's format, such as ncdump, show. A
// copy does not depend on it. Text is for people.
type Detail struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Attribute says that the detail is about the attribute called Name, for instance its
	// type. Otherwise it is about the node itself.
	Attribute bool `json:"attribute,omitempty"`
}

// Detailed is an optional ability of a [Source] or a [Hierarchy].
type Detailed interface {
	// Details returns the details of the array at a path. If no array has the path, it
	// returns those of the group at the path. The details of the root, whose path is "",
	// include those of the whole file.
	Details(ctx context.Context, path string) ([]Detail, error)
}
