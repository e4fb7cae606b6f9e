//go:build race

package codectest

// underRace: the race detector makes everything ten times slower, and it looks
// for other faults than damaged input shows.
const underRace = true
