//go:build !purego

package cpu

import "testing"

// TestFastPEXT has signatures of processors, as the makers publish them.
func TestFastPEXT(t *testing.T) {
	for _, c := range []struct {
		maker     string
		signature uint32
		want      bool
		processor string
	}{
		{"AuthenticAMD", 0x00660f01, false, "Excavator"},
		{"AuthenticAMD", 0x00800f11, false, "Zen"},
		{"AuthenticAMD", 0x00830f10, false, "Zen 2"},
		{"AuthenticAMD", 0x00a00f11, true, "Zen 3"},
		{"AuthenticAMD", 0x00a10f11, true, "Zen 4"},
		{"AuthenticAMD", 0x00b00f21, true, "Zen 5"},
		{"HygonGenuine", 0x00900f01, false, "Dhyana"},
		{"GenuineIntel", 0x000306c3, true, "Haswell"},
		{"GenuineIntel", 0x00050657, true, "Cascade Lake"},
	} {
		var maker [3]uint32
		for i, b := range []byte(c.maker) {
			maker[i/4] |= uint32(b) << (i % 4 * 8)
		}
		if got := fastPEXT(maker, c.signature); got != c.want {
			t.Errorf("%s: %v, want %v", c.processor, got, c.want)
		}
	}
}
