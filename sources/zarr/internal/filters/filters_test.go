package filters_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/zarr/internal/filters"
)

func chunk(shape ...int) codecs.Chunk {
	return codecs.Chunk{Type: dtype.StringType, Shape: shape, Fill: dtype.Scalar("7")}
}

// decode decodes a chunk of texts by a filter.
func decode(t testing.TB, spec codecs.Spec, in codecs.Chunk, data string) ([]string, error) {
	t.Helper()
	chain, err := filters.Registry(standard.Registry(dtype.Standard())).Bind([]codecs.Spec{spec}, in)
	if err != nil {
		t.Fatal(err)
	}
	dst := ndarray.New(in.Type, in.Shape)
	err = chain.Decode(&ndarray.Pool{}, dst, []byte(data))
	var items []string
	for item := range dst.Items() {
		items = append(items, string(item))
	}
	return items, err
}

// TestLists decodes chunks that numcodecs 0.15 encoded, and damaged ones.
func TestLists(t *testing.T) {
	for _, test := range []struct {
		name  string
		shape []int
		data  string
		want  string // the texts, or a part of the error
	}{
		{"json2", []int{2}, `["a","b","|O",[2]]`, "a b"},
		{"json2", []int{2}, ` [ "a" , null , "|O" , [ 2 ] ] `, "a "},
		{"json2", []int{2}, `["a",7,"|O",[2]]`, "a 7"},
		{"json2", []int{1, 2}, `[["a","b"],"|O",[1,2]]`, "a b"},
		{"json2", []int{1}, `["a","|O",[]]`, "a"},
		{"json2", []int{2}, `["a",0,"|O",[2]]`, "element 1 in C order is 0, and not a text: exclude the array"},
		{"json2", []int{2}, `["a",1.5,"|O",[2]]`, "element 1 in C order is 1.5"},
		{"json2", []int{2}, `["a",{"b":1},"|O",[2]]`, `element 1 in C order is {"b":1}`},
		{"json2", []int{2}, `["a",NaN,"|O",[2]]`, "an element is NaN, and not a text"},
		{"json2", []int{2}, `["a",-Infinity,"|O",[2]]`, "an element is Infinity, and not a text"},
		{"json2", []int{2}, `[["a"],["b"],"|O",[2]]`, "element 0 in C order is a list"},
		{"json2", []int{2}, `["a","\ud800","|O",[2]]`, "surrogate"},
		{"json2", []int{2}, `["a","|O",[2]]`, "1 elements of shape [2], want 2"},
		{"json2", []int{2}, `["a","b","c","|O",[3]]`, "3 elements of shape [3], want 2"},
		{"json2", []int{2}, `["a","b","|O",[-2]]`, "want 2 elements"},
		{"json2", []int{2}, `["a","b","|O",[2,1]]`, "0 elements of shape [2 1]"},
		{"json2", []int{2}, `["a","b","|O"]`, "want 2 elements"},
		{"json2", []int{2}, `{}`, "want a list"},
		{"json2", []int{2}, ``, "corrupt"},
		{"json2", []int{2}, `["a","b","|O",[2]`, "corrupt"},
		{"msgpack2", []int{2}, "\x94\xa1a\xa1b\xa2|O\x91\x02", "a b"},
		{"msgpack2", []int{2}, "\x94\xa1a\xc0\xa2|O\x91\x02", "a "},
		{"msgpack2", []int{2}, "\x94\xa1a\x07\xa2|O\x91\x02", "a 7"},
		{"msgpack2", []int{1, 2}, "\x93\x92\xa1a\xa1b\xa2|O\x92\x01\x02", "a b"},
		{"msgpack2", []int{2}, "\xdc\x00\x04\xd9\x01a\xda\x00\x01b\xdb\x00\x00\x00\x02|O\xdd\x00\x00\x00\x01\xcd\x00\x02", "a b"},
		{"msgpack2", []int{2}, "\x94\xa1a\xc4\x01b\xa2|O\x91\x02", "element 1 in C order is bytes"},
		{"msgpack2", []int{2}, "\x94\xa1a\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00\xa2|O\x91\x02", "element 1 in C order is a number"},
		{"msgpack2", []int{2}, "\x94\xa1a\xff\xa2|O\x91\x02", "element 1 in C order is a negative number"},
		{"msgpack2", []int{2}, "\x94\xa1a\xd1\xff\x00\xa2|O\x91\x02", "element 1 in C order is a negative number"},
		{"msgpack2", []int{2}, "\x94\xa1a\xc3\xa2|O\x91\x02", "element 1 in C order is a boolean"},
		{"msgpack2", []int{2}, "\x94\xa1a\x80\xa2|O\x91\x02", "first byte 0x80"},
		{"msgpack2", []int{2}, "\x94\xa1a\xa1\xff\xa2|O\x91\x02", "not valid UTF-8"},
		{"msgpack2", []int{2}, "\x94\xa1a\xa1b\xa2|O\x91\x02\x00", "1 bytes of MessagePack behind the list"},
		{"msgpack2", []int{2}, "\x94\xa1a\xa1b\xa2|O\x91", "cut short"},
		{"msgpack2", []int{2}, "\x94\xa1a\xa1b\xa2|O\x91\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "want 2 elements"},
		{"msgpack2", []int{2}, "\xdd\xff\xff\xff\xff", "cut short"},
		{"msgpack2", []int{2}, strings.Repeat("\x91", 100), "lists within lists"},
		{"msgpack2", []int{2}, "\x01", "want a list"},
		{"msgpack2", []int{2}, "", "cut short"},
	} {
		items, err := decode(t, codecs.Spec{Name: "numcodecs." + test.name}, chunk(test.shape...), test.data)
		got := strings.Join(items, " ")
		if err != nil {
			got = err.Error()
		}
		if err != nil && !strings.Contains(got, test.want) || err == nil && got != test.want {
			t.Errorf("%s %q: %s, want %s", test.name, test.data, got, test.want)
		}
	}
}

// TestCategories decodes integers without a label as the empty text.
func TestCategories(t *testing.T) {
	spec := codecs.Spec{Name: "numcodecs.categorize", Configuration: []byte(`{"labels":["a","é"],"dtype":"|O","astype":">i2"}`)}
	items, err := decode(t, spec, chunk(5), "\x00\x00\x00\x01\x00\x02\x00\x03\xff\xff")
	if want := []string{"", "a", "é", "", ""}; err != nil || !slices.Equal(items, want) {
		t.Errorf("%q %v, want %q", items, err, want)
	}
	for _, data := range []string{"", "\x00", "\x00\x00\x00\x01\x00\x02\x00\x03\xff\xff\x00\x00"} {
		if _, err := decode(t, spec, chunk(5), data); err == nil {
			t.Errorf("%q was decoded", data)
		}
	}
}

// FuzzFilters decodes any bytes. The texts are valid UTF-8.
func FuzzFilters(f *testing.F) {
	f.Add(`["a",null,"|O",[2]]`)
	f.Add(`[["a",7],"|O",[1,2]]`)
	f.Add("\x94\xa1a\xc0\xa2|O\x91\x02")
	f.Add("\xdc\x00\x04\xd9\x01a\xda\x00\x01b\xdb\x00\x00\x00\x02|O\xdd\x00\x00\x00\x01\xcd\x00\x02")
	f.Add("AQI=")
	f.Fuzz(func(t *testing.T, data string) {
		categories := codecs.Spec{Name: "numcodecs.categorize", Configuration: []byte(`{"labels":["a"],"dtype":"|O","astype":"|u1"}`)}
		for _, spec := range []codecs.Spec{{Name: "numcodecs.json2"}, {Name: "numcodecs.msgpack2"}, categories} {
			items, err := decode(t, spec, chunk(2), data)
			for _, item := range items {
				if err == nil && strings.ToValidUTF8(item, "") != item {
					t.Errorf("%s of %q: %q", spec.Name, data, item)
				}
			}
		}
		chain, err := filters.Registry(standard.Registry(dtype.Standard())).Bind(
			[]codecs.Spec{{Name: "bytes"}, {Name: "numcodecs.base64"}}, codecs.Chunk{Type: dtype.Uint8, Shape: []int{2}, Fill: dtype.Scalar{0}})
		if err != nil {
			t.Fatal(err)
		}
		_ = chain.Decode(&ndarray.Pool{}, ndarray.New(dtype.Uint8, []int{2}), []byte(data))
	})
}
