package edge

import (
	"os"
	"syscall"
	"testing"
)

// Memory returns n bytes, behind which no memory may be read.
func Memory(t testing.TB, n int) []byte {
	t.Helper()
	page := os.Getpagesize()
	pages := (n + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, pages+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(m); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(m[pages:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return m[pages-n : pages : pages]
}
