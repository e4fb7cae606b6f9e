//go:build unix

package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A device or a pipe, such as /dev/stdout, is written and not replaced by a file.
func TestReplaceFileWritesPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // also written, so that it opens without a writer
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	link := pipe + ".link"
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, link} {
		if err := replaceFile(name, []byte("page")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
			t.Fatalf("%s is no pipe any more: %v, %v", name, info, err)
		}
		got := make([]byte, 10)
		if n, err := reader.Read(got); err != nil || string(got[:n]) != "page" {
			t.Errorf("the pipe has %q, %v; want the text", got[:n], err)
		}
	}
}
