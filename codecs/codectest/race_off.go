//go:build !race

package codectest

const underRace = false
