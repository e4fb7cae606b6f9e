package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGenerated compares the file in the package with what the generator makes.
func TestGenerated(t *testing.T) {
	file, err := os.ReadFile("../../neon_runs_arm64.s")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(kernels(), string(file)); d != "" {
		t.Errorf("go generate ./codecs/zfp makes another file (-generated +file):\n%s", d)
	}
}
