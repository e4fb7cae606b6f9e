//go:build race

package jobs

// underRace: the race detector empties pools at random, so more is allocated.
const underRace = true
