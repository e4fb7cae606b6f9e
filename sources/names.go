package sources

import "github.com/zmigrate/zmigrate/internal/cf"

// Names of types of internal packages, for programs outside of this module.
type (
	// Finding is a remark for users, with a code for programs.
	Finding = cf.Finding
	// Mode says what becomes of values that are packed by the CF conventions.
	Mode = cf.Mode
	// Outcome is what packed values stand for: the array of these values, and the codecs
	// that make it of the stored ones.
	Outcome = cf.Outcome
)
