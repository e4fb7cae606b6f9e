//go:build race

package run

// underRace: the race detector empties pools at random, so more is allocated.
const underRace = true
