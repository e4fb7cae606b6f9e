package kerchunk

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
)

// listed returns all entries of a table, as a text for each key.
func listed(t *testing.T, table store.ReferenceTable, prefix string) map[string]string {
	t.Helper()
	all := map[string]string{}
	next := table.Pages(prefix)
	for {
		entries, err := next(t.Context())
		for _, e := range entries {
			all[e.Key] = shown(e.Reference)
			if found, err := table.Find(t.Context(), e.Key); err != nil || shown(found) != shown(e.Reference) {
				t.Errorf("%s: found %+v, %v; listed %+v", e.Key, found, err, e.Reference)
			}
		}
		if errors.Is(err, store.ErrEnd) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func shown(r store.Reference) string {
	if r.URL == "" {
		return "=" + string(r.Inline)
	}
	return fmt.Sprintf("%s %d+%d", r.URL, r.Off, r.Len)
}

// TestParseJSON reads tables of both versions.
func TestParseJSON(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want map[string]string
	}{
		"version 0":     {`{".zgroup": "{\"zarr_format\":2}", "a/0": ["x.bin", 4, 8], "a/1": ["x.bin"], "a/2": "base64:AAEC", "a/3": "text", "a/4":"base64:AAE="}`, map[string]string{".zgroup": `={"zarr_format":2}`, "a/0": "x.bin 4+8", "a/1": "x.bin 0+-1", "a/2": "=\x00\x01\x02", "a/3": "=text", "a/4": "=\x00\x01"}},
		"version 1":     {`{"version": 1, "refs": {".zgroup": {"zarr_format": 2}, "a/0": ["s3://b/x.bin", 4, 8]}}`, map[string]string{".zgroup": `={"zarr_format":2}`, "a/0": "s3://b/x.bin 4+8"}},
		"no version":    {`{"refs": {"a/0": ["x", 0, 0]}}`, map[string]string{"a/0": "x 0+0"}},
		"no dimensions": {`{"a/": ["x", 8, 4]}`, map[string]string{"a/0": "x 8+4"}},
		"last counts":   {`{"a": "1", "b": "2", "a": "3"}`, map[string]string{"a": "=3", "b": "=2"}},
		"other fields": {
			`{"kerchunk": {"by": 1}, "refs": {"a/0": ["{{u}}/{{f(n='x')}}", 1, 2], "a/1": ["{{u}}/{{f(n='x')}}", 3, 4], "a/2": ["http://h/{{u}}"]}, "more": [1], "templates": {"u": "http://h", "f": "{{n}}.nc"}, "version": 1}`,
			map[string]string{"a/0": "http://h/x.nc 1+2", "a/1": "http://h/x.nc 3+4", "a/2": "http://h/http://h 0+-1"},
		},
		"no templates": {`{"version": 1, "refs": {"a/0": ["{{u}}", 1, 2]}}`, map[string]string{"a/0": "{{u}} 1+2"}},
		"gen": {
			`{"version": 1, "templates": {"u": "s3://b"}, "gen": [{"key": "x/{{i}}.{{j}}", "url": "{{u}}/{{k}}/{{ '%02d' % i }}.nc", "offset": "{{ j * 8 }}", "length": "8", "dimensions": {"i": {"stop": 2}, "j": [0, 2], "k": ["z"]}}, {"key": "y/{{i}}", "url": "y{{i}}", "dimensions": {"i": {"start": 3, "stop": 4}}}], "refs": {"x/0.0": "old"}}`,
			map[string]string{"x/0.0": "s3://b/z/00.nc 0+8", "x/0.2": "s3://b/z/00.nc 16+8", "x/1.0": "s3://b/z/01.nc 0+8", "x/1.2": "s3://b/z/01.nc 16+8", "y/3": "y3 0+-1"},
		},
	} {
		table, _, err := ParseJSON(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, listed(t, table, "")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if _, err := table.Find(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a missing object: %v", name, err)
		}
	}
}

// TestParseDamagedJSON has an error for each table that is not as it should be. The error names
// the entry.
func TestParseDamagedJSON(t *testing.T) {
	for text, want := range map[string]string{
		``: "not a table", `[]`: "not a table", `{}`: "no references", `{"a": 1}`: `not a table of references: the field "a"`, `{"type": "FeatureCollection", "features": []}`: `the field "features"`,
		`{"version": 2, "refs": {}}`: "version 2", `{"version": 1}`: "without refs", `{"refs": []}`: "refs is not an object", `{"refs": {"a/0": ["x", 1]}}`: `"a/0"`, `{"refs": {"a/0": ["x", -1, 2]}}`: `"a/0"`,
		`{"refs": {"a/0": ["x", 1, 1.5]}}`: `"a/0"`, `{"refs": {"a/0": ["x", 9223372036854775807, 1]}}`: `"a/0"`, `{"refs": {"a/0": [null, 1, 2]}}`: `"a/0"`, `{"refs": {"a/0": ["", 1, 2]}}`: `"a/0"`,
		`{"refs": {"a/0": null}}`: `"a/0"`, `{"refs": {"a/0": "base64:!"}}`: `"a/0"`, `{"refs": {"../a": "x"}}`: `"../a"`, `{"refs": {"": "x"}}`: "empty key", `{"refs": {"a": "x"}} {}`: "behind its end",
		`{"refs": {"a": "x"`: "damaged", `{"version": 1, "templates": {"u": "{{v}}"}, "refs": {"a/0": ["{{u}}"]}}`: `"u"`, `{"version":1,"templates":{"u":3},"refs":{"a":"b"}}`: `"templates"`,
		`{"version":1,"gen":[{"key":"a","url":"b","offset":"1","dimensions":{}}],"refs":{"a":"b"}}`: "gen[0]", `{"version":1,"gen":[{"key":"a","url":"b","offset":"x","length":"1","dimensions":{}}],"refs":{"a":"b"}}`: "gen[0]: offset",
		`{"version":1,"gen":[{"key":"a","url":"b","dimensions":{"i":{"stop":100000},"j":{"stop":100000}}}],"refs":{"a":"b"}}`: "more than", `{"version":1,"gen":[{"key":"` + strings.Repeat("long ", 800) + `{{i}}","url":"b","dimensions":{"i":{"stop":2000000000}}}],"refs":{"a":"b"}}`: "too large",
		`{"version":1,"gen":[{"key":"a","url":"","dimensions":{}}],"refs":{"a":"b"}}`: "no URL",
	} {
		if _, _, err := ParseJSON(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

// TestFoldersInTable lists folders and parts of a table.
func TestFoldersInTable(t *testing.T) {
	table, _, err := ParseJSON(strings.NewReader(`{"a/b/0": "1", "a/b/1": "2", "a/b.c/0": "3", "a/x": "4", "d/0": "5", ".zgroup": "6", "a/b0/0": "7"}`))
	if err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string][]string{"": {"a", "d"}, "a/": {"b.c", "b", "b0"}, "a/b/": nil, "none/": nil} {
		got, err := table.Folders(t.Context(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", prefix, diff)
		}
	}
	inner := Inside(table, "a")
	if diff := cmp.Diff(map[string]string{"b/0": "=1", "b/1": "=2"}, listed(t, inner, "b/")); diff != "" {
		t.Error(diff)
	}
	if names, err := inner.Folders(t.Context(), ""); err != nil || len(names) != 3 {
		t.Errorf("folders %q, %v", names, err)
	}
	if names, err := inner.Folders(t.Context(), "b/"); err != nil || names != nil {
		t.Errorf("folders %q, %v", names, err)
	}
}

// TestPagesOfTable lists more entries than a page has.
func TestPagesOfTable(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"b":"1"`)
	for i := range 2*page + 1 {
		fmt.Fprintf(&text, `,"a/%d":["f",%d,1]`, i, i)
	}
	text.WriteString("}")
	table, _, err := ParseJSON(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(listed(t, table, "a/")); got != 2*page+1 {
		t.Errorf("%d entries", got)
	}
}

// TestMemory compares the memory that a table takes with what is counted, which may be a
// tenth less: of many chunks of one file, of a file for each chunk, and of chunks within
// the table.
func TestMemory(t *testing.T) {
	const n = 50_000
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for name, entry := range map[string]func(i int) string{
		"one file":   func(i int) string { return fmt.Sprintf(`["s3://bucket/file.nc", %d, 100000]`, 100_000*i) },
		"many files": func(i int) string { return fmt.Sprintf(`["s3://bucket/folder/file%d.nc", 0, 100000]`, i) },
		"inline":     func(i int) string { return fmt.Sprintf(`"base64:AAAAAAAAAAAAAAAAAAAA%04d"`, i%10_000) },
	} {
		var b strings.Builder
		b.WriteString(`{"version": 1, "refs": {".zgroup": "{}"`)
		for i := range n {
			fmt.Fprintf(&b, `, "temperature/%d.0.0": %s`, i, entry(i))
		}
		b.WriteString("}}")
		before := heap()
		table, counted, err := ParseJSON(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		taken := heap() - before
		if 10*taken > 11*counted || counted > 3*taken/2 {
			t.Errorf("%s: %d bytes are counted, the table takes %d", name, counted, taken)
		}
		runtime.KeepAlive(table)
		runtime.KeepAlive(b)
	}
}
