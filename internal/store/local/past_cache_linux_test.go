package local

import (
	"bytes"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// cachedPages returns how many pages of a file are in the memory of the system.
func cachedPages(t *testing.T, name string) (n int) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	pages := make([]byte, (len(data)+os.Getpagesize()-1)/os.Getpagesize())
	if _, _, err := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)), uintptr(unsafe.Pointer(&pages[0]))); err != 0 {
		t.Fatal(err)
	}
	if err := unix.Munmap(data); err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		n += int(p & 1)
	}
	return n
}

// TestReadPastCache reads the first bytes of files that are in the memory of the system. The
// rest of the files leaves that memory, only if the driver reads past it.
func TestReadPastCache(t *testing.T) {
	const size = 8 << 20
	for _, past := range []bool{false, true} {
		d := New(t.TempDir(), "")
		if past {
			d.ReadPastCache()
		}
		want := bytes.Repeat([]byte{7}, size)
		name := d.path("a")
		if err := os.WriteFile(name, want, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		all := size / os.Getpagesize()
		if dropCached(f); cachedPages(t, name) == all {
			t.Skip("the file system has nothing but memory")
		}
		if _, err := f.ReadAt(want, 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		before := cachedPages(t, name)
		got := make([]byte, 10)
		if err := d.Read(t.Context(), "a", got, 0, driver.Info{}); err != nil || !bytes.Equal(got, want[:10]) {
			t.Fatalf("%v, %v", got, err)
		}
		if after := cachedPages(t, name); before != all || (after < all/2) != past {
			t.Errorf("past the cache=%v: of %d pages %d are cached before the read, %d after", past, all, before, after)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
