package kerchunk

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/internal/store"
)

// gzipped returns the text that in has, compressed.
func gzipped(t testing.TB, in io.Reader) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.Copy(w, in); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zstandard returns the text that in has, compressed.
func zstandard(t testing.TB, in io.Reader) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, in); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestCompressed reads tables that are compressed, in one frame or member and in several. A
// table that is cut off, or that ends with something else, is damaged.
func TestCompressed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString(`{"version": 1, "refs": {`)
	want := map[string]string{}
	for i := range 5000 {
		if i > 0 {
			text.WriteString(", ")
		}
		key, off := "a/"+string(rune('a'+i%26))+strings.Repeat("x", i/26), random.IntN(1<<30)
		text.WriteString(`"` + key + `": ["s3://bucket/x.bin", ` + strconv.Itoa(off) + `, 8]`)
		want[key] = "s3://bucket/x.bin " + strconv.Itoa(off) + "+8"
	}
	text.WriteString(`}}`)
	half := text.Len() / 2
	parts := func(compress func(testing.TB, io.Reader) []byte) []byte {
		return append(compress(t, strings.NewReader(text.String()[:half])), compress(t, strings.NewReader(text.String()[half:]))...)
	}
	for name, data := range map[string][]byte{
		"gzip": gzipped(t, strings.NewReader(text.String())), "zstd": zstandard(t, strings.NewReader(text.String())),
		"two members": parts(gzipped), "two frames": parts(zstandard),
	} {
		if !Compressed(data) || !Begins(data[:min(len(data), Beginning)]) {
			t.Errorf("%s: is not taken for a table", name)
		}
		table, _, err := ParseJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, listed(t, table, "")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, broken := range [][]byte{data[:len(data)-1], data[:len(data)/2], append(bytes.Clone(data), "more"...)} {
			if _, _, err := ParseJSON(bytes.NewReader(broken)); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNoTable) {
				t.Errorf("%s, %d of %d bytes: %v", name, len(broken), len(data), err)
			}
		}
	}
	for name, data := range map[string][]byte{
		"another file": gzipped(t, strings.NewReader("CDF\x01 and more")), "nothing": gzipped(t, strings.NewReader("")),
		"no gzip": []byte("\x1f\x8b and more"), "no frame": []byte(zstdBegins), "a list": zstandard(t, strings.NewReader("[1]")),
	} {
		if Begins(data) {
			t.Errorf("%s is taken for a table", name)
		}
		if _, _, err := ParseJSON(bytes.NewReader(data)); !errors.Is(err, ErrNoTable) && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBomb refuses texts that a few bytes become: the text of all values together is bounded,
// and that of one value.
func TestBomb(t *testing.T) {
	data := gzipped(t, io.MultiReader(strings.NewReader("{"), io.LimitReader(endless(" "), mostValue+1<<20), strings.NewReader("}")))
	if _, _, err := ParseJSON(bytes.NewReader(data)); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("a field of spaces: %v", err)
	}
	spaces := strings.Repeat(" ", 1<<20)
	for name, compress := range map[string]func(testing.TB, io.Reader) []byte{"gzip": gzipped, "zstd": zstandard} {
		data := compress(t, strings.NewReader(`{"a/0": "`+spaces+`", "a/1": "`+spaces+`"}`))
		text, done, err := expanded(bytes.NewReader(data), 2<<20)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, text); !errors.Is(err, store.ErrTooLarge) || !strings.Contains(err.Error(), "Parquet") {
			t.Errorf("%s: a text behind the bound: %v", name, err)
		}
		done()
	}
}

// endless repeats a byte.
type endless string

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e[0]
	}
	return len(p), nil
}
