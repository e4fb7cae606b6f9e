package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestInteropPackSpeed measures packing float64 into int16 by scale_offset and
// cast_value, and unpacking, on one core. NumPy does the same in turns in the same run.
// Both must make the same bytes.
//
// NumPy uses vector instructions, which Go does not, and allocates new memory for each
// result. So NumPy is fast as long as everything fits into a cache.
func TestInteropPackSpeed(t *testing.T) {
	p := findPeers(t)
	for _, c := range []struct {
		name           string
		elements       int
		encode, decode float64 // the least speeds, relative to NumPy's, on a busy machine
	}{
		{"1 MiB", 1 << 17, 0.3, 0.1},
		{"64 MiB", 1 << 23, 2, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			encode, decode := packSpeed(t, p, c.elements)
			if encode < c.encode {
				t.Errorf("packing is %.2f times as fast as NumPy, want %g", encode, c.encode)
			}
			if decode < c.decode {
				t.Errorf("unpacking is %.2f times as fast as NumPy, want %g", decode, c.decode)
			}
		})
	}
}

// packSpeed returns how many times as fast as NumPy both directions are.
func packSpeed(t *testing.T, p peers, elements int) (encode, decode float64) {
	t.Helper()
	const offset, scale, turns = 10.5, 100, 3
	chain, err := standard.Registry(dtype.Standard()).Bind([]codecs.Spec{
		{Name: "scale_offset", Configuration: fmt.Appendf(nil, `{"offset":%g,"scale":%d}`, offset, scale)},
		{Name: "cast_value", Configuration: json.RawMessage(`{"data_type":"int16","out_of_range":"clamp"}`)},
		{Name: "bytes"},
	}, codecs.Chunk{Type: dtype.Float64, Shape: []int{elements}})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	src, dst := ndarray.New(dtype.Float64, []int{elements}), ndarray.New(dtype.Float64, []int{elements})
	numbers, _ := ndarray.As[float64](src)
	for i := range numbers {
		numbers[i] = random.NormFloat64() * 90 // a few in ten thousand are out of range
	}
	pool := ndarray.Pool{Keep: 4 * len(src.Data)}
	packed, _, err := chain.Encode(&pool, src)
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, t.TempDir(), "content", src.Data)
	var encoded, encodes, decoded, decodes []float64
	for range turns {
		cmd, stderr := p.command(t, "pack_speed.py", fmt.Sprint(offset), fmt.Sprint(scale), file)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		var theirs struct{ Encode, Decode float64 }
		if err := json.Unmarshal(out, &theirs); err != nil {
			t.Fatal(err)
		}
		packing := shortest(t, func() error {
			_, buffer, err := chain.Encode(&pool, src)
			if buffer != nil {
				buffer.Release()
			}
			return err
		})
		back := shortest(t, func() error { return chain.Decode(&pool, dst, packed) })
		encoded, encodes = append(encoded, packing), append(encodes, theirs.Encode/packing)
		decoded, decodes = append(decoded, back), append(decodes, theirs.Decode/back)
	}
	speed := func(seconds []float64) float64 { return float64(len(src.Data)) / 1e9 / median(seconds) }
	t.Logf("float64 to int16 %.2f GB/s, %.2f × NumPy; int16 to float64 %.2f GB/s, %.2f × NumPy",
		speed(encoded), median(encodes), speed(decoded), median(decodes))
	for name, ours := range map[string][]byte{".packed": packed, ".unpacked": dst.Data} {
		theirs, err := os.ReadFile(file + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours, theirs) {
			t.Errorf("%s: the bytes differ from NumPy's", name)
		}
	}
	return median(encodes), median(decodes)
}
