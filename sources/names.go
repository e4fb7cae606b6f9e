package sources

import "github.com/zmigrate/zmigrate/internal/cf"

// Names of types of internal packages, for programs outside of this module.
type (
	// Finding is a remark for users, with a code for programs.
	Finding = cf.Finding
	// Mode says what becomes of values that are packed by the CF conventions.
	Mode = cf.Mode
	// Outcome describes the physical values of a packed array: their data type and
	// attributes, and the codecs that compute them from the stored values.
	Outcome = cf.Outcome
)
