package zfp

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A goldenCase is an array, its stream and the decoded values, as libzfp 1.0.1 with
// words of 64 bits made them.
type goldenCase struct {
	ID, DType, Data, Mode             string
	Shape                             []int
	MinBits, MaxBits, MaxPrec, MinExp int
	Rate, Tolerance                   float64
	Precision                         int
	In, ZFP, Out                      [2]int // where each begins, and its size

	in, zfp, out []byte
}

func (c *goldenCase) params(typ Type) (Params, error) {
	switch c.Mode {
	case "reversible":
		return Reversible(), nil
	case "fixed_accuracy":
		return FixedAccuracy(c.Tolerance)
	case "fixed_precision":
		return FixedPrecision(c.Precision)
	case "fixed_rate":
		return FixedRate(c.Rate, typ, len(c.Shape))
	}
	return Params{c.MinBits, c.MaxBits, c.MaxPrec, c.MinExp}, nil
}

// readGolden reads the cases of a folder.
func readGolden(t testing.TB, folder fs.FS) []*goldenCase {
	t.Helper()
	read := func(name string) []byte {
		b, err := fs.ReadFile(folder, name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var index struct{ Cases []*goldenCase }
	if err := json.Unmarshal(read("cases.json"), &index); err != nil {
		t.Fatal(err)
	}
	in, stream, out := read("all.in"), read("all.zfp"), read("all.out")
	for _, c := range index.Cases {
		part := func(b []byte, at [2]int) []byte { return b[at[0]:][:at[1]] }
		c.in, c.zfp, c.out = part(in, c.In), part(stream, c.ZFP), part(out, c.Out)
	}
	return index.Cases
}

// openSelection opens the goldens in testdata, which are a selection.
func openSelection(t testing.TB) fs.FS {
	t.Helper()
	archive, err := zip.OpenReader("testdata/golden.zip")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = archive.Close() })
	return archive
}

func TestGolden(t *testing.T) {
	testGolden(t, openSelection(t), 759)
}

func TestGoldenWhole(t *testing.T) {
	folder := filepath.Join(os.Getenv("ZMIGRATE_GOLDEN"), "zfp")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("set ZMIGRATE_GOLDEN to the folder of all goldens: %v", err)
	}
	testGolden(t, os.DirFS(folder), 1896)
}

func testGolden(t *testing.T, folder fs.FS, want int) {
	cases := readGolden(t, folder)
	if len(cases) != want {
		t.Fatalf("%d cases, want %d", len(cases), want)
	}
	for _, c := range cases {
		name := fmt.Sprintf("%s/%s/%v/%s/%s", c.ID, c.DType, c.Shape, c.Mode, c.Data)
		switch c.DType {
		case "int32":
			checkGolden[int32](t, name, c)
		case "int64":
			checkGolden[int64](t, name, c)
		case "float32":
			checkGolden[float32](t, name, c)
		default:
			checkGolden[float64](t, name, c)
		}
	}
}

// checkGolden encodes the array of a case behind other bytes, and decodes its stream.
func checkGolden[T Scalar](t *testing.T, name string, c *goldenCase) {
	t.Helper()
	p, err := c.params(typeOf[T]())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	array := make([]T, product(c.Shape))
	if _, err := binary.Decode(c.in, binary.LittleEndian, array); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	limit, err := MaxSize(c.Shape, typeOf[T](), p)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, fixed := p.BlockBits(typeOf[T]()); len(c.zfp) > limit || fixed && len(c.zfp) != limit {
		t.Errorf("%s: a stream of %d bytes, MaxSize is %d", name, len(c.zfp), limit)
	}
	prefix := []byte("kept")
	stream, err := AppendEncode(prefix, array, c.Shape, p, Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got := stream[len(prefix):]; !bytes.Equal(c.zfp, got) || !bytes.HasPrefix(stream, prefix) {
		t.Errorf("%s: stream (-libzfp +ours):\n%s", name, cmp.Diff(c.zfp, got))
	}
	clear(array)
	if err := Decode(array, c.Shape, c.zfp, p, Options{}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out, err := binary.Append(nil, binary.LittleEndian, array)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(c.out, out) {
		t.Errorf("%s: values (-libzfp +ours):\n%s", name, cmp.Diff(c.out, out))
	}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
