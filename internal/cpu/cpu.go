// Package cpu decides which extensions of the processor the kernels of this module use.
//
// A kernel is a loop in assembly. For each kernel there is a function in Go that does the same,
// more slowly. A level stands for extensions of the processor:
//
//	plain    none: functions in Go do all the work
//	sse2     what every amd64 processor has
//	avx2     AVX2, BMI1, BMI2, LZCNT, PCLMULQDQ and POPCNT (Intel since Haswell, AMD since Zen)
//	pext     also PEXT and PDEP in a few cycles (Intel since Haswell, AMD since Zen 3)
//	avx512   also AVX-512 with BW, CD, DQ, GFNI, VBMI, VBMI2 and VL (Intel since Ice Lake, AMD since Zen 4)
//	neon     what every arm64 processor has
//
// amd64 has the levels plain to avx512, arm64 has plain and neon, and all others have plain alone.
// So does a program with the build tag purego. A level includes the extensions of the levels
// before it.
//
// Kernels use the highest level that the processor has. The environment variable ZMIGRATE_CPU
// names a lower one, so that tests and measurements can do what an older processor would do. The
// variable is read when a kernel is first chosen.
package cpu

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
)

// Variable is the environment variable with the name of a level. If it is "" or "native", kernels
// use the highest level.
const Variable = "ZMIGRATE_CPU"

// Level stands for extensions of the processor.
type Level uint8

// The levels, each with all extensions of those before it.
const (
	Plain    Level = iota
	Baseline       // sse2 or neon
	AVX2
	PEXT
	AVX512
)

// names are the names of the levels of this platform.
var names = []string{"plain", baseline, "avx2", "pext", "avx512"}[:last+1]

// String returns the name of a level of this platform.
func (l Level) String() string { return names[l] }

// Used returns the level that kernels use. It stays the same while the process runs.
func Used() Level {
	level, _ := used()
	return level
}

// Check returns an error if the variable has a wrong value: one that is no level, or a level that
// the processor does not have. Kernels use the highest level then. The error says which values
// are right.
func Check() error {
	_, err := used()
	return err
}

var used = sync.OnceValues(func() (Level, error) { return choose(os.Getenv(Variable), highest()) })

// choose returns the level that the value of the variable stands for on a processor.
func choose(value string, most Level) (Level, error) {
	if value == "" || value == "native" {
		return most, nil
	}
	has := names[:most+1]
	if i := slices.Index(has, value); i >= 0 {
		return Level(i), nil
	}
	want := "want native or " + has[0]
	if most > 0 {
		want = "want native, " + strings.Join(has[:most], ", ") + " or " + has[most]
	}
	if slices.Contains(names, value) {
		want = "this processor does not have it: " + want
	}
	return most, errors.New(want)
}
