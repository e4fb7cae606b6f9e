package arrow

import (
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
)

// Key is a column that has one value in all rows of a file.
type Key struct{ Name, Value string }

// File is a file of a table.
type File struct {
	URL string
	// Keys are columns with one value in the whole file, from folders of the form
	// name=value above it.
	Keys []Key
}

// Options are the settings of Open. The zero value is usable.
type Options struct {
	Store store.Options
	// Combine says how several files become one source. Without Concat and Stack, their
	// rows follow each other. Concat names the dimension of all rows, "" for "row".
	Combine combine.Options
	// Null returns the value, of type t, that replaces nulls in the column at a path.
	// It returns nil if there is none, and an error that says why. If Null is nil, no
	// column has such a value.
	Null func(path string, t dtype.Type) (dtype.Scalar, error)
	// CF says, by the path of a column of decimals, what becomes of their integers; see
	// [cf.Mode]. nil: they are kept.
	CF func(path string) cf.Mode
	// Resident counts the memory for the places of the elements of list views; nil: it is not
	// counted.
	Resident *sources.Resident
	// Drivers are the known formats, for the error about a file of another one; nil:
	// none.
	Drivers sources.Drivers
}

// source is what the files of a source share.
type source struct {
	rows    string // name of the dimension of rows
	null    func(path string, t dtype.Type) (dtype.Scalar, error)
	cf      func(path string) cf.Mode
	stacked bool                  // arrays get a new dimension
	keys    map[string]dtype.Type // data types of the keys in names of folders, by name
}

// hierarchy is an opened file with its columns by their paths. It implements
// [sources.Hierarchy].
type hierarchy struct {
	*source
	table   table
	url     string
	gap     int // store.Store.GapBytes
	remote  bool
	keys    []Key
	columns map[string]*column
	names   map[string]string // other names for columns that need one; see sources.Info.Name
}
