//go:build !race && !invariants

package ndarray

// invariants makes Release overwrite memory, so that a use after it shows.
const invariants = false
