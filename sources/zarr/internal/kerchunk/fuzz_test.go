package kerchunk

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParseJSON parses texts as tables.
func FuzzParseJSON(f *testing.F) {
	for _, text := range []string{
		`{".zgroup": "{\"zarr_format\":2}", "a/0": ["x.bin", 4, 8], "a/2": "base64:AAEC"}`,
		`{"version": 1, "templates": {"u": "s3://b", "f": "{{u}}{{n}}"}, "gen": [{"key": "x/{{i}}", "url": "{{u}}/{{ '%02d' % i }}", "offset": "{{ i * 8 }}", "length": "8", "dimensions": {"i": {"stop": 2}, "j": [0, "x"]}}], "refs": {"x/0.0": {"a": 1}, "y": ["{{f(n='x')}}"]}}`,
	} {
		f.Add([]byte(text))
		f.Add(gzipped(f, strings.NewReader(text)))
		f.Add(zstandard(f, strings.NewReader(text)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		Begins(text)
		if bytes.Contains(text, []byte("stop")) && bytes.ContainsAny(text, "3456789") {
			t.Skip("gen may make millions of references")
		}
		table, _, err := ParseJSON(bytes.NewReader(text))
		if err != nil {
			return
		}
		listed(t, table, "")
		if _, err := table.Folders(t.Context(), ""); err != nil {
			t.Error(err)
		}
	})
}

// FuzzTemplate expands texts as templates.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"{{ i * 8 + 4 }}", "{{ '%03d' % i }}", "{{ n(c=i // 2) ~ 'x' }}", "a{{u}}b", "{{ -(i - 3) % 2 }}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := newScope(map[string]string{"u": "s3://bucket", "n": "{{c}}{{c}}"})
		s.values["i"] = int64(7)
		if got, err := template(text).expand(s); err == nil && len(got) > 2*mostText+len(text) {
			t.Errorf("%d bytes", len(got))
		}
	})
}

// FuzzPlaces resolves names of files.
func FuzzPlaces(f *testing.F) {
	for _, name := range []string{"a.nc", "../x", "/etc/passwd", "file:///etc/passwd", "s3://b/a b", "FILE:///etc", "memory://x", "file:/etc/x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p := &Places{Table: "https://host/folder/refs.json"}
		if url, err := p.URL(name); err == nil && (filepath.IsAbs(url) || !bytes.Contains([]byte(url), []byte("://"))) {
			t.Errorf("%q of a remote table is the local file %q", name, url)
		}
	})
}

// FuzzRecord reads bytes as a file of references.
func FuzzRecord(f *testing.F) {
	for _, name := range []string{"fastparquet", "pyarrow"} {
		data, err := os.ReadFile(filepath.Join("testdata", name, "a", "refs.0.parq"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRecord(context.Background(), data)
		if err != nil {
			return
		}
		for row := range r.rows() {
			r.reference(row)
		}
	})
}

// FuzzGrid reads documents of arrays, and numbers their chunks.
func FuzzGrid(f *testing.F) {
	f.Add([]byte(`{"shape": [7, 3], "chunks": [2, 2]}`), 3)
	f.Fuzz(func(t *testing.T, text []byte, n int) {
		g, err := newGrid(text)
		if err != nil || n < 0 || n >= g.all || len(g.separator) != 1 || g.separator[0] >= '0' && g.separator[0] <= '9' {
			return
		}
		if got, ok := g.number(g.key(n)); !ok || got != n {
			t.Errorf("chunk %d of %s is %s, which is %d", n, text, g.key(n), got)
		}
	})
}
