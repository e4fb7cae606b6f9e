//go:build race

package codectest

// underRace says that the race detector is on. It makes the tests ten times slower, and
// it looks for faults that damaged input does not cause.
const underRace = true
