//go:build race || invariants

package ndarray

// invariants makes Release overwrite memory, so that a later use of the buffer shows.
const invariants = true
