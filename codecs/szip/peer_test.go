package szip_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/codecs/internal/python"
	"github.com/zmigrate/zmigrate/codecs/szip"
)

// A peer is a Python process with libaec that runs testdata/libaec.py.
type peer struct {
	in  io.Writer
	out *bufio.Reader
}

// findPeer starts the peer, see [python.Start].
func findPeer(t *testing.T) *peer {
	t.Helper()
	p := python.Start(t, "h5py", filepath.Join("testdata", "libaec.py"))
	return &peer{p, bufio.NewReader(p)}
}

// encode returns the stream of libaec, and the best of so many processor times in which
// libaec decodes it.
func (p *peer) encode(t *testing.T, parameters szip.Parameters, content []byte, repeat int) ([]byte, time.Duration) {
	t.Helper()
	request, err := json.Marshal(struct {
		szip.Parameters
		Bytes  int `json:"bytes"`
		Repeat int `json:"repeat"`
	}{parameters, len(content), repeat})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(append(request, '\n'), content...)); err != nil {
		t.Fatal(err)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("libaec refuses %+v: %v", parameters, err)
	}
	var answer struct {
		Stream  int
		Seconds float64
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		t.Fatal(err)
	}
	stream := make([]byte, answer.Stream)
	if _, err := io.ReadFull(p.out, stream); err != nil {
		t.Fatal(err)
	}
	return stream, time.Duration(answer.Seconds * float64(time.Second))
}

// contentOf returns n elements of so many bits, in quiet and wild stretches.
func contentOf(random *rand.Rand, n, bits int, big bool) []byte {
	var content []byte
	noise, value := 0, uint64(0)
	for i := range n {
		if i%50 == 0 {
			noise = random.IntN(bits + 1)
		}
		mask := uint64(1)<<(bits&63) - 1
		if bits == 64 {
			mask = 1<<64 - 1
		}
		switch step := random.Uint64() & (uint64(1)<<noise - 1); random.IntN(4) {
		case 0:
			value -= step
		case 1:
			value = step
		case 2:
		default:
			value += step
		}
		value &= mask
		width := 1
		for 8*width < bits {
			width *= 2
		}
		b := binary.LittleEndian.AppendUint64(nil, value)[:width]
		if big {
			for k := range width / 2 {
				b[k], b[width-1-k] = b[width-1-k], b[k]
			}
		}
		content = append(content, b...)
	}
	return content
}

// TestInteropLibaec decodes what libaec encodes, with parameters and contents that are made
// up.
func TestInteropLibaec(t *testing.T) {
	p := findPeer(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		bits := 1 + random.IntN(33)
		if bits == 33 {
			bits = 64
		}
		parameters := szip.Parameters{
			Options: []uint32{0, szip.Nearest, szip.BigEndian, szip.BigEndian | szip.Nearest}[random.IntN(4)] | 128 | 4,
			Block:   2 * (1 + random.IntN(szip.MaxBlock/2)), Bits: bits, Scanline: 1 + random.IntN(4000),
		}
		content := contentOf(random, 1+random.IntN(5000), bits, parameters.Options&szip.BigEndian != 0)
		stream, _ := p.encode(t, parameters, content, 1)
		d, err := szip.NewDecoder(parameters)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(content))
		if err := d.Decode(got, stream, make([]byte, d.Scratch(len(got)))); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%+v, %d bytes: other content, error %v", parameters, len(content), err)
		}
	}
}
