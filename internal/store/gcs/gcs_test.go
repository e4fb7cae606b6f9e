package gcs

import "testing"

// An emulator may tell no generation. Then there is no version.
func TestGeneration(t *testing.T) {
	for number, want := range map[int64]string{-1: "", 0: "", 1: "1", 1700000000000001: "1700000000000001"} {
		if got := generation(number); got != want {
			t.Errorf("%d: %q", number, got)
		}
	}
}
