//go:build race

package race

import "unsafe"

// step is the distance in bytes between the addresses that the race detector is told of, besides the
// first and the last byte. Two uses of the same step bytes are found.
const step = 256

// The functions are not inlined, because the code of a package that is compiled without the race
// detector tells it nothing.

// Read tells that b is read.
//
//go:noinline
func Read(b []byte) {
	for i := 0; i < len(b); i = next(b, i) {
		keep(b[i])
	}
}

// Write tells that b has been written.
//
//go:noinline
func Write(b []byte) {
	for i := 0; i < len(b); i = next(b, i) {
		b[i] = keep(b[i])
	}
}

// next returns the number of the byte after byte i that has a multiple of step as its address. Before
// the end of b, that is the last byte.
func next(b []byte, i int) int {
	following := i + step - int(uintptr(unsafe.Pointer(&b[i]))%step)
	if following >= len(b) && i < len(b)-1 {
		return len(b) - 1
	}
	return following
}

//go:noinline
func keep(b byte) byte { return b }
