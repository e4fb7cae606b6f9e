package remote

import (
	"syscall"
	"testing"
)

// TestConnectionsOfFewDescriptors: a process that may open few descriptors makes few
// connections to one server. A process that may open many has no bound.
func TestConnectionsOfFewDescriptors(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	})
	for descriptors, want := range map[uint64]int{256: 32, 1000: 125, 1024: 0} {
		if descriptors > uint64(before.Max) {
			t.Skipf("this process may open %d descriptors at most", before.Max)
		}
		few := before
		few.Cur = descriptors
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
			t.Fatal(err)
		}
		transport := NewTransport()
		if got := transport.MaxConnsPerHost; got != want {
			t.Errorf("%d descriptors: %d connections, want %d", descriptors, got, want)
		}
		if kept := transport.MaxIdleConnsPerHost; want > 0 && kept != want || want == 0 && kept != 256 {
			t.Errorf("%d descriptors: %d idle connections are kept", descriptors, kept)
		}
	}
}
