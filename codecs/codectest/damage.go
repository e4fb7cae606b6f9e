package codectest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// damage checks that decoding damaged bytes ends in every case: with the right error or
// the right number of elements, and with all buffers released.
func (s *suite) damage(t *testing.T) {
	var pool ndarray.Pool
	for _, shape := range s.Shapes {
		chain := s.bind(t, s.Types[len(s.Types)-1], shape)
		in := chain.Chunk()
		n, _ := ndarray.Bytes(in.Type, in.Shape)
		if n > 200 {
			continue
		}
		for _, content := range contents(rand.New(rand.NewPCG(8, 9)), in.Type, in.Shape) {
			a, err := ndarray.View(in.Type, in.Shape, content)
			if err != nil {
				t.Fatal(err)
			}
			stored := encode(t, &pool, chain, a)
			out := ndarray.New(in.Type, in.Shape)
			for cut := range stored {
				if s.Slow && cut%5 != 0 {
					continue
				}
				clear(out.Data)
				err := chain.Decode(&pool, out, stored[:cut:cut])
				padding := s.Padded && bytes.Equal(out.Data, content)
				s.checkDamage(t, fmt.Sprintf("%v cut to %d of %d bytes", shape, cut, len(stored)), err, n > 0 && !padding)
			}
			for bit := range len(stored) * 8 {
				if s.Slow && bit%11 != 0 {
					continue
				}
				damaged := slices.Clone(stored)
				damaged[bit/8] ^= 1 << (bit % 8)
				err := chain.Decode(&pool, out, damaged)
				unnoticed := err == nil && bytes.Equal(out.Data, content) // the bit has no meaning
				s.checkDamage(t, fmt.Sprintf("%v with bit %d turned", shape, bit), err, s.DetectsDamage && !unnoticed)
			}
			err = chain.Decode(&pool, out, append(slices.Clone(stored), 1, 2, 3))
			s.checkDamage(t, fmt.Sprintf("%v with bytes behind", shape), err, !s.TakesMore)
		}
	}
	if n := pool.Lent(); n != 0 {
		t.Errorf("%d buffers were not released", n)
	}
}

func (s *suite) checkDamage(t *testing.T, what string, err error, must bool) {
	t.Helper()
	switch {
	case err == nil && must:
		t.Errorf("%s: the damage went unnoticed", what)
	case err != nil && !errors.Is(err, codecs.ErrCorrupt) && !errors.Is(err, codecs.ErrTooLarge):
		t.Errorf("%s: %v is neither ErrCorrupt nor ErrTooLarge", what, err)
	}
}

// appending checks that bytes → bytes codecs keep the content of dst, whatever its
// capacity.
func (s *suite) appending(t *testing.T) {
	d, err := s.registry.Lookup(s.Spec.Name)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := d.Parse(s.Spec.Configuration)
	if err != nil {
		t.Fatal(err)
	}
	prefix := []byte("what was there before")
	for _, n := range []int{0, 1, 1000, 100_000} {
		n -= n % max(s.Multiple, 1)
		for _, fixed := range []bool{true, false} {
			bound, err := parsed.(codecs.BytesToBytesCodec).BindBytesToBytes(codecs.Size{Max: n, Fixed: fixed})
			if err != nil {
				t.Fatal(err)
			}
			all := contents(rand.New(rand.NewPCG(10, 11)), dtype.Uint8, []int{n})
			rooms := []int{0, 1, n, 3*n + 100}
			if n > 1000 {
				all = all[:2] // noise and regular content, both longer than a block of most codecs
				rooms = rooms[1:3]
			}
			for _, content := range all {
				for _, room := range rooms {
					dst := append(make([]byte, 0, len(prefix)+room), prefix...)
					stored, err := bound.AppendEncode(dst, content)
					if err != nil || !bytes.HasPrefix(stored, prefix) {
						t.Fatalf("encoding %d bytes with room for %d: %v", n, room, err)
					}
					stored = slices.Clone(stored[len(prefix):])
					decoded, err := bound.AppendDecode(dst, stored)
					if err != nil || !bytes.Equal(decoded, append(slices.Clone(prefix), content...)) {
						t.Fatalf("decoding %d bytes with room for %d: %v", n, room, err)
					}
				}
			}
		}
	}
}
