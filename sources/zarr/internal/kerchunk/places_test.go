package kerchunk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlaces says for each table and each name in it which file is meant, or that the table must
// not refer to it.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	inside, outside := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, folder := range []string{inside, outside} {
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(inside, "link")); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(inside, "refs.json")
	const refused, wrong = "refused", "wrong"
	for _, c := range []struct {
		table, name string
		follow      []string
		want        string
	}{
		{table, "a.nc", nil, filepath.Join(inside, "a.nc")}, {table, "b/a.nc", nil, filepath.Join(inside, "b/a.nc")}, {table, filepath.Join(inside, "a.nc"), nil, filepath.Join(inside, "a.nc")},
		{table, "file://" + inside + "/a b%20.nc", nil, filepath.Join(inside, "a b%20.nc")}, {table, "file:" + inside + "/a.nc", nil, filepath.Join(inside, "a.nc")},
		{table, "../out/a.nc", nil, refused}, {table, "/etc/passwd", nil, refused}, {table, "file:///etc/passwd", nil, refused}, {table, "link/a.nc", nil, refused}, {table, inside + "/../out/a.nc", nil, refused},
		{table, "local:///etc/passwd", nil, refused}, {table, "mem://x/y", nil, refused}, {table, "memory://x/y", nil, refused},
		{table, "../out/a.nc", []string{outside}, filepath.Join(outside, "a.nc")}, {table, "link/a.nc", []string{outside}, filepath.Join(inside, "link/a.nc")}, {table, "/etc/passwd", []string{outside, "s3://b"}, refused},
		{table, "s3://b/a b.nc", nil, "s3://b/a%20b.nc"}, {table, "s3a://b/a%20b.nc", nil, "s3://b/a%2520b.nc"}, {table, "gcs://b/a#?.nc", nil, "gs://b/a%23%3F.nc"}, {table, "abfs://c/a.nc", nil, "azblob://c/a.nc"}, {table, "https://h/a.nc?sig=1", nil, "https://h/a.nc?sig=1"},
		{table, "s3://b/x/a.nc", []string{"s3://b/x?anonymous=true"}, "s3://b/x/a.nc?anonymous=true"}, {table, "s3://b/y/a.nc", []string{"s3://b/x?anonymous=true"}, "s3://b/y/a.nc"},
		{table, "", nil, wrong}, {table, "zip://a::s3://b/c.zip", nil, wrong}, {table, "ftp://h/a.nc", nil, wrong}, {table, "abfs://c@account/a.nc", nil, wrong}, {table, "file://a.nc", nil, wrong}, {table, "http:///a.nc", nil, wrong},
		{"https://h/d/refs.json", "a.nc", nil, "https://h/d/a.nc"}, {"https://h/d/refs.json", "/etc/passwd", []string{"/etc"}, refused}, {"https://h/d/refs.json", "file:///etc/passwd", []string{"/etc"}, refused}, {"https://h/d/refs.json", "https://i/a.nc", nil, "https://i/a.nc"},
		{"https://h/d/refs.json", "../../../a.nc", nil, wrong}, {"https://h/d/refs.json", "mem://x/a", nil, refused},
		{"s3://b/d/refs.json?region=r", "e/a.nc", nil, "s3://b/d/e/a.nc?region=r"}, {"s3://b/d/refs.json?region=r", "s3://b/f.nc", nil, "s3://b/f.nc?region=r"}, {"s3://b/d/refs.json?region=r", "s3://c/f.nc", nil, "s3://c/f.nc"},
		{"mem://b/d/refs.json", "mem://b/x", nil, "mem://b/x"}, {"mem://b/d/refs.json", "/etc/passwd", nil, refused},
	} {
		if _, err := (&Places{Table: c.table, Follow: c.follow, Nothing: true}).URL(c.name); err == nil {
			t.Errorf("%s in %s: no error although no file is allowed", c.name, c.table)
		}
		p := &Places{Table: c.table, Follow: c.follow}
		got, err := p.URL(c.name)
		switch {
		case c.want == refused:
			if !errors.Is(err, ErrOutside) || !strings.Contains(err.Error(), filepath.Base(c.name)) {
				t.Errorf("%s in %s: %q, %v; want that it is refused by its name", c.name, c.table, got, err)
			}
		case c.want == wrong:
			if err == nil || errors.Is(err, ErrOutside) {
				t.Errorf("%s in %s: %q, %v; want an error", c.name, c.table, got, err)
			}
		case err != nil || got != c.want:
			t.Errorf("%s in %s: %q, %v; want %q", c.name, c.table, got, err, c.want)
		}
	}
}
