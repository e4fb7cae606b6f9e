//go:build unix

package app

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Sockets of processes that were killed are removed. Those to which a process listens, new ones, and
// files that are no sockets stay.
func TestRemoveDeadSockets(t *testing.T) {
	folder, err := os.MkdirTemp("", "z") // the address of a socket has few bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	at := func(name string) string { return filepath.Join(folder, name) }
	listen := func(name string) *net.UnixListener {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at(name), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		return l
	}
	age := func(name string) {
		then := time.Now().Add(-2 * time.Minute)
		if err := os.Chtimes(at(name), then, then); err != nil {
			t.Fatal(err)
		}
	}
	const dead, starting, alive, other, file = "zmigrate-dead.sock", "zmigrate-starting.sock", "zmigrate-alive.sock", "dead.sock", "zmigrate-file.sock"
	for _, name := range []string{dead, starting, other} {
		if err := listen(name).Close(); err != nil {
			t.Fatal(err)
		}
	}
	living := listen(alive)
	t.Cleanup(func() { _ = living.Close() })
	if err := os.WriteFile(at(file), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dead, alive, other, file} {
		age(name)
	}
	removeDeadSockets(t.Context(), folder)
	var left []string
	for _, name := range []string{dead, starting, alive, other, file} {
		if _, err := os.Lstat(at(name)); err == nil {
			left = append(left, name)
		}
	}
	if want := []string{starting, alive, other, file}; !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
}
