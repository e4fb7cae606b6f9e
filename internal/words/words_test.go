package words

import "testing"

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		Size(0): "0 B", Size(1023): "1023 B", Size(1024): "1.0 KiB", Size(1 << 20): "1.0 MiB", Size(5 << 39): "2.5 TiB", Size(1<<63 - 1): "8.0 EiB",
		Count(0, "array"): "0 arrays", Count(1, "entry"): "1 entry", Count(2, "entry"): "2 entries",
		Shape(nil): "scalar", Shape([]int{12, 90}): "12 × 90",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
