package sourcetest

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"
)

// CloseLater closes a source when the test has ended, and fails the test if it
// cannot be closed.
func CloseLater(t testing.TB, src io.Closer) {
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Unzip writes the files of a zip archive to a new folder and returns the folder. The
// folder is removed when the test has ended.
func Unzip(t testing.TB, archive string) (folder string) {
	t.Helper()
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	if err := errors.Join(os.CopyFS(folder, z), z.Close()); err != nil {
		t.Fatal(err)
	}
	return folder
}

// Zipped returns the content of one file of a zip archive.
func Zipped(t testing.TB, archive, name string) []byte {
	t.Helper()
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(z, name)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}
