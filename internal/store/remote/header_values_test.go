package remote

import "testing"

func FuzzContentRange(f *testing.F) {
	f.Add("bytes 2-5/10")
	f.Add("bytes */10")
	f.Add("bytes 0-0/*")
	f.Fuzz(func(t *testing.T, text string) {
		if first, size, ok := ContentRange(text); ok && (first < -1 || size < -1 || first < 0 && size < 0) {
			t.Errorf("%q: from %d of %d", text, first, size)
		}
	})
}

// TestContentRangeOfNothing reads fields that are no range of bytes.
func TestContentRangeOfNothing(t *testing.T) {
	for _, text := range []string{"", "items 0-9/100", "bytes 5", "bytes", "0-9/100", "bytes 0-9/x"} {
		if first, size, ok := ContentRange(text); ok {
			t.Errorf("%q: from %d of %d", text, first, size)
		}
	}
}

// TestWholeSize: a part of an object tells the size of the whole one.
func TestWholeSize(t *testing.T) {
	for _, c := range []struct {
		length int64
		span   string
		want   int64
	}{{5, "", 5}, {-1, "", -1}, {5, "bytes 0-4/100", 100}, {5, "bytes 0-4/*", -1}, {5, "nonsense", -1}} {
		if got := WholeSize(c.length, c.span); got != c.want {
			t.Errorf("%d, %q: %d", c.length, c.span, got)
		}
	}
}
