package sources

import (
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// Names of types of internal packages, for programs outside of this module.
type (
	// Attributes are the attributes of a node, in their order.
	Attributes = zarr.Attributes
	// Attribute is one of them: a name and a value as JSON.
	Attribute = zarr.Attribute
	// Finding is a remark for users, with a code for programs.
	Finding = cf.Finding
	// Mode says what becomes of values that are packed by the CF conventions.
	Mode = cf.Mode
	// StoreOptions are the settings of the stores that a source opens: retries and the
	// logger. The zero value is usable.
	StoreOptions = store.Options
)
