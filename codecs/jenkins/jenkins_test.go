package jenkins_test

import (
	"testing"

	"github.com/zmigrate/zmigrate/codecs/jenkins"
)

// TestLookup3 compares hashes with those that lookup3.c prints in its own test
// (driver5), and with those of the HDF5 library.
func TestLookup3(t *testing.T) {
	for _, c := range []struct {
		data    string
		initial uint32
		want    uint32
	}{
		{"", 0, 0xdeadbeef},
		{"", 0xdeadbeef, 0xbd5b7dde},
		{"Four score and seven years ago", 0, 0x17770551},
		{"Four score and seven years ago", 1, 0xcd628161},
	} {
		for split := range len(c.data) + 1 {
			if got := jenkins.Lookup3([]byte(c.data[:split]), []byte(c.data[split:]), c.initial); got != c.want {
				t.Errorf("%q, %q, initial value %d: %08x, want %08x", c.data[:split], c.data[split:], c.initial, got, c.want)
			}
		}
	}
}

// FuzzLookup3: the place of the cut between prefix and data does not matter.
func FuzzLookup3(f *testing.F) {
	f.Add([]byte("a text of more than twelve bytes"), uint8(5), uint32(7))
	f.Add([]byte{}, uint8(0), uint32(0))
	f.Fuzz(func(t *testing.T, data []byte, cut uint8, initial uint32) {
		n := min(int(cut), len(data))
		if got, want := jenkins.Lookup3(data[:n], data[n:], initial), jenkins.Lookup3(nil, data, initial); got != want {
			t.Errorf("cut at %d: %08x, whole %08x", n, got, want)
		}
	})
}
