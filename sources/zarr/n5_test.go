package zarr

import (
	"encoding/binary"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// blockN5 returns a block of N5 of int32 elements.
func blockN5(mode uint16, shape []uint32, elements ...int32) string {
	b := binary.BigEndian.AppendUint16(nil, mode)
	b = binary.BigEndian.AppendUint16(b, uint16(len(shape)))
	for _, n := range shape {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	if mode == 1 {
		b = binary.BigEndian.AppendUint32(b, uint32(len(elements)))
	}
	for _, v := range elements {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	return string(b)
}

// containerN5 holds an array of 3 × 5 elements, in N5's order 5 × 3, in blocks of 2 × 2. One block is
// missing, the last is cropped, and one is in mode 1.
func containerN5() map[string]string {
	const at = "group/a/"
	return map[string]string{
		"attributes.json":      `{"n5":"2.5.1","title":"test"}`,
		at + "attributes.json": `{"dimensions":[5,3],"blockSize":[2,2],"dataType":"int32","compression":{"type":"raw"},"axes":["x","y"],"unit":"nm"}`,
		at + "0/0":             blockN5(0, []uint32{2, 2}, 1, 2, 6, 7), at + "1/0": blockN5(1, []uint32{2, 2}, 3, 4, 8, 9), at + "2/0": blockN5(0, []uint32{1, 2}, 5, 10),
		at + "1/1": blockN5(0, []uint32{2, 1}, 13, 14), at + "2/1": blockN5(0, []uint32{1, 1}, 15),
		"other/deep/b/attributes.json": `{"dimensions":[4],"blockSize":[4],"dataType":"uint8","compressionType":"raw"}`,
		"described/attributes.json":    `{"name":"a group"}`,
	}
}

// TestN5 reads a container, a group of it without a document, and an array.
func TestN5(t *testing.T) {
	dir := writeFiles(t, containerN5())
	want := []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 13, 14, 15}
	for place, name := range map[string]string{"": "group/a", "group": "a", "group/a": ""} {
		s, err := openTable(t, filepath.Join(dir, place), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := values(t, s, name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", place, got, err)
		}
		a, err := s.Array(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		info := a.Info()
		if diff := cmp.Diff([][]int{{3, 5}, {2, 2}}, [][]int{info.Shape, info.Chunks}); diff != "" || !slices.Equal(info.DimensionNames, []string{"y", "x"}) || info.Codecs != nil || sources.AsStored(a) != nil {
			t.Errorf("%s: %+v", place, info)
		}
		sourcetest.Run(t, s)
	}
	s, err := openTable(t, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var groups []string
	for _, g := range s.Groups() {
		groups = append(groups, g.Path)
	}
	if !slices.Equal(groups, []string{"", "described", "group", "other", "other/deep"}) || !slices.Equal(s.Arrays(), []string{"group/a", "other/deep/b"}) {
		t.Errorf("groups %q, arrays %q", groups, s.Arrays())
	}
	if text, err := s.Groups()[0].Attributes.MarshalJSON(); err != nil || string(text) != `{"title":"test"}` {
		t.Errorf("attributes of the root: %s, %v", text, err)
	}
	format, _ := s.(sources.Outlined).Outline(t.Context())
	if format != "N5" {
		t.Errorf("the format is %s", format)
	}
}

// TestN5HTTP reads an array from a server that cannot be listed.
func TestN5HTTP(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir(writeFiles(t, containerN5()))))
	defer server.Close()
	s, err := openTable(t, server.URL+"/group/a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := values(t, s, ""); err != nil || got[14] != 15 || got[10] != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestN5Damaged has an error for each block and document that is not as it should be. With
// AllChunks, a missing block is one, named by its key.
func TestN5Damaged(t *testing.T) {
	for name, c := range map[string]struct {
		key, text string
		want      string
		cause     error
	}{
		"no header": {"group/a/0/0", "short", "chunk [0 0], group/a/0/0", codecs.ErrCorrupt}, "an object": {"group/a/2/0", blockN5(2, []uint32{1, 2}, 5, 10), "chunk [0 2], group/a/2/0", codecs.ErrCorrupt},
		"few elements": {"group/a/0/0", blockN5(0, []uint32{2, 2}, 1), "chunk [0 0]", codecs.ErrCorrupt}, "too large": {"group/a/0/0", blockN5(0, []uint32{3, 2}, 1), "chunk [0 0]", codecs.ErrTooLarge},
		"more bytes": {"group/a/0/0", strings.Repeat("x", 100), "chunk [0 0]", store.ErrTooLarge},
		"document":   {"group/a/attributes.json", `{"dimensions":[5,3],"blockSize":[2],"dataType":"int32"}`, "in blocks of", nil},
		"type":       {"group/a/attributes.json", `{"dimensions":[5,3],"blockSize":[2,2],"dataType":"object"}`, `"object"`, errors.ErrUnsupported},
	} {
		files := containerN5()
		files[c.key] = c.text
		s, err := openTable(t, writeFiles(t, files), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := values(t, s, "group/a"); err == nil || !strings.Contains(err.Error(), c.want) || c.cause != nil && !errors.Is(err, c.cause) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	s, err := openTable(t, writeFiles(t, containerN5()), Options{AllChunks: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Array(t.Context(), "group/a"); !errors.Is(err, ErrMissingChunk) || !strings.Contains(err.Error(), "chunk [1 0], group/a/0/1") {
		t.Errorf("got %v", err)
	}
}
