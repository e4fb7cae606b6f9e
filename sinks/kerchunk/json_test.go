package kerchunk

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// fill writes a small table.
func fill(t *testing.T, to Table) {
	t.Helper()
	for _, err := range []error{
		to.Document(".zgroup", json.RawMessage(`{"zarr_format":2}`)),
		to.Array("a", 4),
		to.Chunk(Chunk{Number: 0, Key: "0.0", URL: "file:///da ta/<1>\".nc", Offset: 1 << 40, Length: 800}),
		to.Chunk(Chunk{Number: 1, Key: "0.1", Inline: []byte{1}, Unstored: true}),
		to.Chunk(Chunk{Number: 2, Key: "1.0", Unstored: true}),
		to.Chunk(Chunk{Number: 3, Key: "1.1", URL: "s3://bucket/two.nc", Offset: 0, Length: 8}),
		to.Document("a/.zarray", json.RawMessage(`{"chunks":[2,2],"shape":[4,4]}`)),
		to.Array("g/b", 1),
		to.Chunk(Chunk{Key: "0", Inline: []byte{0, 0, 255}}),
		to.Document("g/b/.zarray", json.RawMessage(`{"chunks":[],"shape":[]}`)),
		to.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	fill(t, JSON(&b))
	const want = `{"version":1,"refs":{
".zgroup":"{\"zarr_format\":2}",
"a/0.0":["file:///da ta/<1>\".nc",1099511627776,800],
"a/1.1":["s3://bucket/two.nc",0,8],
"a/.zarray":"{\"chunks\":[2,2],\"shape\":[4,4]}",
"g/b/0":"base64:AAD/",
"g/b/.zarray":"{\"chunks\":[],\"shape\":[]}"
}}
`
	if b.String() != want {
		t.Errorf("%s\nwant %s", b.String(), want)
	}
	if !json.Valid([]byte(b.String())) {
		t.Error("the table is not JSON")
	}
}

// full is a writer that takes no more than some bytes.
type full int

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > int(*f) {
		return 0, errFull
	}
	*f -= full(len(p))
	return len(p), nil
}

// An error of the writer comes back at the latest from Close.
func TestJSONFull(t *testing.T) {
	for _, room := range []full{0, 1 << 10, 100 << 10} {
		to := JSON(&room)
		var err error
		for n := 0; n < 5000 && err == nil; n++ {
			err = to.Chunk(Chunk{Number: n, Key: "0", URL: "file:///a-name-of-some-length", Length: 1})
		}
		if err == nil {
			err = to.Close()
		}
		if !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
}
