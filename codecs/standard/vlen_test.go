package standard_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// items returns an array of elements of variable size.
func items(t *testing.T, typ dtype.Type, shape []int, list ...string) ndarray.Array {
	t.Helper()
	a := ndarray.New(typ, shape)
	if len(list) != a.Len() {
		t.Fatalf("%d elements for %v", len(list), shape)
	}
	_ = a.SetItems(func() ([]byte, error) { // never fails
		item := list[0]
		list = list[1:]
		return []byte(item), nil
	})
	return a
}

func collect(a ndarray.Array) []string {
	var list []string
	for item := range a.Items() {
		list = append(list, string(item))
	}
	return list
}

func TestVlen(t *testing.T) {
	text := []string{"", "a", "é漢😀", strings.Repeat("long ", 1000), "\x00", "z"}
	for _, c := range []struct {
		typ   dtype.Type
		specs []codecs.Spec
		list  []string
	}{
		{dtype.StringType, []codecs.Spec{spec("vlen-utf8", "")}, text},
		{dtype.StringType, []codecs.Spec{spec("numcodecs.vlen-utf8", "{}"), spec("zstd", `{"level":3,"checksum":false}`), spec("crc32c", "")}, text},
		{dtype.StringType, []codecs.Spec{spec("transpose", `{"order":[1,0]}`), spec("vlen-utf8", ""), spec("gzip", `{"level":5}`)}, text},
		{dtype.StringType, []codecs.Spec{spec("reshape", `{"shape":[[0],1,3]}`), spec("vlen-utf8", "")}, text},
		{dtype.StringType, []codecs.Spec{spec("reshape", `{"shape":[-1]}`), spec("vlen-utf8", "")}, text},
		{dtype.StringType, []codecs.Spec{spec("transpose", `{"order":[1,0]}`), spec("reshape", `{"shape":[[0,1]]}`), spec("vlen-utf8", "")}, text},
		{dtype.StringType, []codecs.Spec{spec("transpose", `{"order":[1,0]}`), spec("reshape", `{"shape":[2,-1]}`), spec("transpose", `{"order":[1,0]}`), spec("vlen-utf8", "")}, text},
		{dtype.StringType, []codecs.Spec{spec("sharding_indexed", `{"chunk_shape":[1,3],"codecs":["vlen-utf8","zstd"],"index_codecs":["bytes"]}`)}, text},
		{dtype.BytesType, []codecs.Spec{spec("vlen-bytes", "")}, []string{"\xff\xfe", "", "\x00", "abc", "", "x"}},
	} {
		chain, err := standard.Registry(dtype.Standard()).Bind(c.specs, codecs.Chunk{Type: c.typ, Shape: []int{2, 3}, Fill: c.typ.Default()})
		if err != nil {
			t.Fatal(err)
		}
		if size := chain.Size(); !size.Unbounded || size.Fixed {
			t.Errorf("%v: size %+v", c.specs, size)
		}
		var pool ndarray.Pool
		a := items(t, c.typ, []int{2, 3}, c.list...)
		data, buffer, err := chain.Encode(&pool, a)
		if err != nil {
			t.Fatal(err)
		}
		got := ndarray.New(c.typ, []int{2, 3})
		if err := chain.Decode(&pool, got, data); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.list, collect(got)); diff != "" {
			t.Errorf("%v: %s", c.specs, diff)
		}
		if names := chain.Specs()[0].Name; names != c.specs[0].Name {
			t.Errorf("the codec %s is written as %s", c.specs[0].Name, names)
		}
		for n := range min(len(data), 200) {
			if err := chain.Decode(&pool, got, data[:n]); !errors.Is(err, codecs.ErrCorrupt) && !errors.Is(err, codecs.ErrTooLarge) {
				t.Errorf("%v cut to %d bytes: %v", c.specs, n, err)
			}
		}
		if buffer != nil {
			buffer.Release()
		}
		if n := pool.Lent(); n != 0 {
			t.Errorf("%v: %d buffers were not released", c.specs, n)
		}
	}
	// The format: the number of elements, then the length and the bytes of each,
	// little-endian.
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("vlen-utf8", "")}, codecs.Chunk{Type: dtype.StringType, Shape: []int{2}, Fill: dtype.Scalar{}})
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := chain.Encode(&ndarray.Pool{}, items(t, dtype.StringType, []int{2}, "hi", "é"))
	if want := "\x02\x00\x00\x00\x02\x00\x00\x00hi\x02\x00\x00\x00\xc3\xa9"; err != nil || string(data) != want {
		t.Errorf("%q (%v), want %q", data, err, want)
	}
}

func TestVlenRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		typ  dtype.Type
		want string
	}{
		{"vlen-utf8", dtype.BytesType, "data type bytes is not one"},
		{"vlen-bytes", dtype.StringType, "data type string is not one"},
		{"vlen-utf8", dtype.Int32, "data type int32 is not one"},
		{"bytes", dtype.StringType, "choose the codec vlen-utf8"},
	} {
		_, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec(c.name, "")}, codecs.Chunk{Type: c.typ, Shape: []int{3}, Fill: c.typ.Default()})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: %v, want %q", c.name, c.typ.Name(), err, c.want)
		}
	}
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{spec("vlen-utf8", "")}, codecs.Chunk{Type: dtype.StringType, Shape: []int{2}, Fill: dtype.Scalar{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := chain.Encode(&ndarray.Pool{}, items(t, dtype.StringType, []int{2}, "ok", "\xff")); err == nil || !strings.Contains(err.Error(), "element 1 in C order") || !strings.Contains(err.Error(), "exclude the array") {
		t.Errorf("a string that is not UTF-8: %v", err)
	}
	for name, data := range map[string]string{
		"in front":  "\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"cut short": "\x02\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff",
		"behind":    "\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00x",
		"UTF-8":     "\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x80",
	} {
		err := chain.Decode(&ndarray.Pool{}, ndarray.New(dtype.StringType, []int{2}), []byte(data))
		if !errors.Is(err, codecs.ErrCorrupt) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v, want %q", data, err, name)
		}
	}
}

// TestVariableArrays checks that arrays of elements of variable size are copied, filled
// and compared like others, whatever their strides.
func TestVariableArrays(t *testing.T) {
	a := items(t, dtype.StringType, []int{2, 3}, "a", "", "ccc", "dd", "e", "ff")
	b := ndarray.New(dtype.StringType, []int{3, 2})
	ndarray.Copy(b, a.Transpose([]int{1, 0}))
	if diff := cmp.Diff([]string{"a", "dd", "", "e", "ccc", "ff"}, collect(b)); diff != "" {
		t.Error(diff)
	}
	row := b.Sub(ndarray.Region{Start: []int{1, 0}, Shape: []int{1, 2}})
	ndarray.Fill(row, dtype.Scalar("zz"))
	if diff := cmp.Diff([]string{"a", "dd", "zz", "zz", "ccc", "ff"}, collect(b)); diff != "" {
		t.Error(diff)
	}
	if !ndarray.Uniform(row, dtype.Scalar("zz")) || ndarray.Uniform(b, dtype.Scalar("zz")) {
		t.Error("Uniform is wrong")
	}
	if _, ok := b.Contiguous(); ok {
		t.Error("elements of variable size have contiguous memory")
	}
	if !slices.EqualFunc(slices.Collect(a.Items()), slices.Collect(b.Transpose([]int{1, 0}).Items()), func(x, y []byte) bool {
		return bytes.Equal(x, y) || string(y) == "zz"
	}) {
		t.Error("the copy differs")
	}
}
