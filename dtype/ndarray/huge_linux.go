package ndarray

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of the larger pages of memory on amd64 and arm64.
const hugePage = 2 << 20

// preferHuge asks the system for large pages behind the memory, which is not touched
// yet. The first use of each page has a price, whatever its size. The request covers
// only pages that lie wholly within the memory, so that no other memory grows. A system
// may ignore the request, without harm.
func preferHuge(memory []byte) {
	if len(memory) < 2*hugePage {
		return
	}
	begin := -int(uintptr(unsafe.Pointer(&memory[0]))) & (hugePage - 1)
	whole := (len(memory) - begin) &^ (hugePage - 1)
	_ = syscall.Madvise(memory[begin:begin+whole], syscall.MADV_HUGEPAGE)
}
