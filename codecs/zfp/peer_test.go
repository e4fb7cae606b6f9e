package zfp

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/codecs/internal/python"
)

// A peer is a Python process with zfpy that runs testdata/libzfp.py.
type peer struct {
	in  io.Writer
	out *bufio.Reader
}

// findPeer starts the peer, see [python.Start].
func findPeer(t *testing.T) *peer {
	t.Helper()
	p := python.Start(t, "zfpy", filepath.Join("testdata", "libzfp.py"))
	return &peer{p, bufio.NewReader(p)}
}

// A setting is a mode of zfpy with its parameter.
type setting struct {
	mode  string // tolerance, rate, precision, or "" for reversible
	value float64
}

func (s setting) String() string {
	if s.mode == "" {
		return "reversible"
	}
	return fmt.Sprintf("%s=%v", s.mode, s.value)
}

func (s setting) params(t testing.TB, typ Type, dims int) Params {
	t.Helper()
	p, err := Reversible(), error(nil)
	switch s.mode {
	case "tolerance":
		p, err = FixedAccuracy(s.value)
	case "rate":
		p, err = FixedRate(s.value, typ, dims)
	case "precision":
		p, err = FixedPrecision(int(s.value))
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A reply is libzfp's result for an array and a stream.
type reply struct {
	stream, values []byte
	encode, decode time.Duration
}

// ask lets libzfp encode an array and decode a stream. A nil stream stands for libzfp's
// own.
func (p *peer) ask(t testing.TB, s setting, typ Type, shape []int, header bool, repeat int, array, stream []byte) reply {
	t.Helper()
	request := map[string]any{
		"dtype": typ.String(), "shape": shape, "header": header,
		"repeat": repeat, "bytes": len(array), "stream": len(stream),
	}
	if s.mode == "precision" {
		request[s.mode] = int(s.value)
	} else if s.mode != "" {
		request[s.mode] = s.value
	}
	line, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		_, err := p.in.Write(bytes.Join([][]byte{line, []byte("\n"), array, stream}, nil))
		sent <- err
	}()
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("%v of shape %v: libzfp: %v", s, shape, err)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	var sizes struct {
		Stream, Bytes  int
		Encode, Decode float64
	}
	if err := json.Unmarshal(answer, &sizes); err != nil {
		t.Fatal(err)
	}
	r := reply{
		stream: make([]byte, sizes.Stream), values: make([]byte, sizes.Bytes),
		encode: time.Duration(sizes.Encode * 1e9), decode: time.Duration(sizes.Decode * 1e9),
	}
	for _, b := range [][]byte{r.stream, r.values} {
		if _, err := io.ReadFull(p.out, b); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// littleEndian returns the bytes of elements in the form that zfpy expects.
func littleEndian[T Scalar](t testing.TB, elements []T) []byte {
	t.Helper()
	b, err := binary.Append(nil, binary.NativeEndian, elements)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestInteropLibzfp compares streams and values with those of libzfp, for arrays of
// random shapes, contents and parameters.
func TestInteropLibzfp(t *testing.T) {
	p := findPeer(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 400 {
		compare[int32](t, p, rng)
		compare[int64](t, p, rng)
		compare[float32](t, p, rng)
		compare[float64](t, p, rng)
	}
}

// compare lets libzfp and this package encode an array and decode each other's
// stream.
func compare[T Scalar](t *testing.T, p *peer, rng *rand.Rand) {
	t.Helper()
	shape := make([]int, 1+rng.IntN(4))
	for i := range shape {
		shape[i] = 1 + rng.IntN([]int{500, 40, 13, 9}[len(shape)-1])
	}
	// Rates below 3 are tested by the goldens: zfpy's build of libzfp does not raise
	// them to the size of a block's header.
	s := []setting{
		{"tolerance", math.Ldexp(rng.Float64(), rng.IntN(40)-30)}, {"rate", 3 + 70*rng.Float64()},
		{"rate", 3 + 8*rng.Float64()}, {"precision", float64(1 + rng.IntN(64))}, {},
	}[rng.IntN(5)]
	typ := typeOf[T]()
	array := random[T](rng, product(shape), s.mode == "")
	params := s.params(t, typ, len(shape))
	o := Options{Header: rng.IntN(2) == 0, Workers: 1 + rng.IntN(3)}
	stream, err := AppendEncode(nil, array, shape, params, o)
	if err != nil {
		t.Fatal(err)
	}
	r := p.ask(t, s, typ, shape, o.Header, 1, littleEndian(t, array), stream)
	if !bytes.Equal(stream, r.stream) {
		t.Fatalf("%v of shape %v, %v: another stream than libzfp's", typ, shape, s)
	}
	got := make([]T, len(array))
	if err := Decode(got, shape, stream, params, o); err != nil {
		t.Fatalf("%v of shape %v, %v: %v", typ, shape, s, err)
	}
	if !bytes.Equal(littleEndian(t, got), r.values) {
		t.Fatalf("%v of shape %v, %v: other values than libzfp's", typ, shape, s)
	}
}

// random returns elements of one of several kinds. They are smooth or wild in a range
// that zfp handles. If the mode is lossless, they may have arbitrary bits and special
// values.
func random[T Scalar](rng *rand.Rand, n int, anything bool) []T {
	scale := math.Ldexp(1, rng.IntN(60)-30)
	if !typeOf[T]().isFloat() {
		scale = math.Ldexp(1, rng.IntN(typeOf[T]().bits()-3))
	}
	noise, zeros := math.Pow(10, -6*rng.Float64()), rng.IntN(3)
	kind := rng.IntN(4)
	array := make([]T, n)
	for i := range array {
		v := math.Sin(float64(i)/7)/2 + noise*(rng.Float64()-0.5)
		switch {
		case kind == 1:
			v = 2*rng.Float64() - 1
		case zeros == 0 && i/50%3 == 0:
			v = 0
		}
		array[i] = T(scale * v)
	}
	if anything && kind == 2 {
		raw := make([]byte, 8*n)
		for i := range raw {
			raw[i] = byte(rng.Uint32())
		}
		if _, err := binary.Decode(raw, binary.NativeEndian, array); err != nil {
			panic(err)
		}
	}
	if anything && kind == 3 {
		special := []float64{math.Copysign(0, -1), math.Copysign(0, -1), 0, math.NaN(), math.Inf(-1), 5e-324, 1e-42, -1, 1e30}
		few := special[:1+rng.IntN(len(special))]
		if !typeOf[T]().isFloat() {
			few = []float64{0, -1, 1 << 30, -1 << 31}
		}
		for i := range array {
			at := 0
			if rng.IntN(20) == 0 {
				at = rng.IntN(len(few))
			}
			array[i] = T(few[at])
		}
	}
	return array
}
