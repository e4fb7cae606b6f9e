package ndarray

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of the larger pages of memory of amd64 and arm64.
const hugePage = 2 << 20

// preferHuge asks for large pages behind the memory, which is not touched yet:
// the first use of each page has a price, whatever its size. Only the pages that
// lie within it are meant, so that nothing else becomes larger. A system that does
// not grant the wish loses nothing.
func preferHuge(memory []byte) {
	if len(memory) < 2*hugePage {
		return
	}
	begin := -int(uintptr(unsafe.Pointer(&memory[0]))) & (hugePage - 1)
	whole := (len(memory) - begin) &^ (hugePage - 1)
	_ = syscall.Madvise(memory[begin:begin+whole], syscall.MADV_HUGEPAGE)
}
