package cpu

import (
	"os"
	"runtime"
	"slices"
	"testing"
)

func TestChoose(t *testing.T) {
	if last != AVX512 {
		t.Skip("this platform has other levels")
	}
	for _, c := range []struct {
		value string
		most  Level
		want  Level
		err   string
	}{
		{"", AVX512, AVX512, ""},
		{"", Plain, Plain, ""},
		{"native", AVX2, AVX2, ""},
		{"plain", AVX512, Plain, ""},
		{"plain", Plain, Plain, ""},
		{"sse2", AVX512, Baseline, ""},
		{"avx2", AVX2, AVX2, ""},
		{"avx2", AVX512, AVX2, ""},
		{"pext", AVX512, PEXT, ""},
		{"pext", AVX2, AVX2, "this processor does not have it: want native, plain, sse2 or avx2"},
		{"avx512", AVX512, AVX512, ""},
		{"avx512", AVX2, AVX2, "this processor does not have it: want native, plain, sse2 or avx2"},
		{"avx2", Plain, Plain, "this processor does not have it: want native or plain"},
		{"AVX2", AVX512, AVX512, "want native, plain, sse2, avx2, pext or avx512"},
		{"neon", Baseline, Baseline, "want native, plain or sse2"},
	} {
		got, err := choose(c.value, c.most)
		if got != c.want || err == nil && c.err != "" || err != nil && err.Error() != c.err {
			t.Errorf("%q with %v: %v, %v; want %v, %q", c.value, c.most, got, err, c.want, c.err)
		}
	}
}

// TestUsed compares the level of this process with the variable and with what the platform has at
// least. It fails if the suite runs with a variable that the processor does not understand.
func TestUsed(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatalf("$%s=%s: %v", Variable, os.Getenv(Variable), err)
	}
	if value := os.Getenv(Variable); value != "" && value != "native" {
		if got := Used().String(); got != value {
			t.Errorf("%s, want %s", got, value)
		}
		return
	}
	if names[0] != "plain" || len(names) == 1 {
		t.Skip("a program without kernels")
	}
	if kernels := []string{"amd64", "arm64"}; slices.Contains(kernels, runtime.GOARCH) != (Used() > Plain) {
		t.Errorf("%s on %s", Used(), runtime.GOARCH)
	}
}
