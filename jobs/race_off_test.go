//go:build !race

package jobs

const underRace = false
