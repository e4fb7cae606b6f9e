package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGenerated compares the assembly in the packages with what the descriptions make.
func TestGenerated(t *testing.T) {
	files, err := filepath.Glob("../../codecs/*/*.kernels")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d descriptions, %v", len(files), err)
	}
	for _, f := range files {
		want, err := assembly(f)
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := os.ReadFile(target(f))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("go generate ./codecs/... makes another %s (-generated +file):\n%s", target(f), d)
		}
	}
}

// TestNotation has an example of everything that a description may have.
func TestNotation(t *testing.T) {
	const description = `#include "textflag.h"

// The first register is free.
table bits D free
      32   D 4    // a register
      64   Q 8

index v < bits/32
index w < 2

// HALF{bits} halves a word.
macro HALF{bits}(z)
	VPSRL{D} $1, z, z // without its sign
	VPXOR{D} z, z, z
end

	VMOVDQU{bits} {64*v}(SI), Z{free+v}
	VPADD{D} Z{w}, Z{v}, Z{v}
for i < 2
	HALF{bits}(Z{i})
  if bits == 64 && i == 1
	VZEROUPPER
  else
	NOP
  end
end
`
	const want = `// Code generated from example.s.kernels by internal/kernels. DO NOT EDIT.

#include "textflag.h"

// HALF32 halves a word.
#define HALF32(z) \
	VPSRLD $1, z, z /* without its sign */; \
	VPXORD z, z, z

	VMOVDQU32 0(SI), Z4
	VPADDD Z0, Z0, Z0
	VPADDD Z1, Z0, Z0
	HALF32(Z0)
	NOP
	HALF32(Z1)
	NOP

// HALF64 halves a word.
#define HALF64(z) \
	VPSRLQ $1, z, z /* without its sign */; \
	VPXORQ z, z, z

	VMOVDQU64 0(SI), Z8
	VMOVDQU64 64(SI), Z9
	VPADDQ Z0, Z0, Z0
	VPADDQ Z1, Z0, Z0
	VPADDQ Z0, Z1, Z1
	VPADDQ Z1, Z1, Z1
	HALF64(Z0)
	NOP
	HALF64(Z1)
	VZEROUPPER
`
	file := filepath.Join(t.TempDir(), "example.s.kernels")
	if err := os.WriteFile(file, []byte(description), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := assembly(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestFaults checks that faulty descriptions are refused.
func TestFaults(t *testing.T) {
	for _, text := range []string{
		"table a b\n 1\n\n\tRET\n",                                     // too few values
		"table a\n 1\n\nif a == 1\n\tRET\n",                            // no end
		"table a\n 1\n\n\tMOVQ {b}, AX\n",                              // no such name
		"table a\n 1\n\nindex a < 2\n\tMOVQ {a}, AX\nfor a < 2\nend\n", // two meanings
	} {
		file := filepath.Join(t.TempDir(), "faulty.s.kernels")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := assembly(file); err == nil {
			t.Errorf("%q makes %q", text, got)
		}
	}
}
