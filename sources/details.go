package sources

import "context"

// Detail is a fact about a node that the tools of the source's format show, such as
// ncdump, and that makes no difference to a copy. It has a name, and a text for people.
type Detail struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Attribute says that the detail is one of the attribute of this name, such as
	// its type, and not one of the node.
	Attribute bool `json:"attribute,omitempty"`
}

// Detailed is an optional ability of a [Source] or a [Hierarchy].
type Detailed interface {
	// Details lists the details of the array at a path, or else of the group
	// there; of the root, path "", also those of the whole file.
	Details(ctx context.Context, path string) ([]Detail, error)
}
