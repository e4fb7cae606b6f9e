package ndarray

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

var errNoMore = errors.New("no more")

// purse is an Account with a limit that counts what it gave.
type purse struct{ limit, held, lent int }

func (p *purse) Lend(n int) ([]byte, error) {
	if err := p.Take(n); err != nil {
		return nil, err
	}
	p.lent += n
	return bytes.Repeat([]byte{0xdb}, n), nil
}

func (p *purse) Take(n int) error {
	if n > p.Room() {
		return errNoMore
	}
	p.held += n
	return nil
}

func (p *purse) Room() int  { return p.limit - p.held }
func (p *purse) Give(n int) { p.held -= n }

// put sets the elements of a to items.
func put(a Array, items [][]byte) error {
	i := -1
	return a.SetItems(func() ([]byte, error) {
		i++
		return items[i], nil
	})
}

// TestHeapKeepsElements puts elements of many lengths, some of them often, and copies
// them. All copies equal what was put, and the heap takes little more memory than the
// elements need.
func TestHeapKeepsElements(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		items := make([][]byte, 300)
		total, longest := 0, 0
		for i := range items {
			if i > 0 && r.IntN(3) == 0 {
				items[i] = items[r.IntN(i)]
				continue
			}
			items[i] = make([]byte, r.IntN(1<<r.IntN(18)))
			for k := range items[i] {
				items[i][k] = byte(r.Uint32())
			}
			total += len(items[i])
			longest = max(longest, len(items[i]))
		}
		p := &purse{limit: 1 << 40}
		a := New(dtype.BytesType, []int{20, 15})
		a.Heap.Account = p
		if err := put(a, items); err != nil {
			t.Fatal(err)
		}
		if most := 2*total + mostSegment + leastShared*len(items); p.lent > most {
			t.Errorf("seed %d: %d bytes were lent for %d, want at most %d", seed, p.lent, total, most)
		}
		b := New(dtype.BytesType, []int{15, 20})
		Copy(b, a.Transpose([]int{1, 0}))
		i := 0
		for item := range b.Transpose([]int{1, 0}).Items() {
			if !bytes.Equal(item, items[i]) {
				t.Fatalf("seed %d: element %d has %d bytes, want %d or others", seed, i, len(item), len(items[i]))
			}
			i++
		}
	}
}

// TestHeapSharesLongElements: a value that repeats takes its bytes once, also among
// other elements.
func TestHeapSharesLongElements(t *testing.T) {
	const length, values, elements = 100_000, 5, 1000
	texts := make([][]byte, values)
	for i := range texts {
		texts[i] = bytes.Repeat([]byte{byte(i)}, length)
	}
	p := &purse{limit: 1 << 40}
	a := New(dtype.BytesType, []int{elements})
	a.Heap.Account = p
	i := -1
	err := a.SetItems(func() ([]byte, error) {
		i++
		return bytes.Clone(texts[i%values]), nil
	})
	if err != nil || p.lent > 2*values*length+mostSegment {
		t.Errorf("%d bytes were lent for %d values of %d: %v", p.lent, values, length, err)
	}
}

func TestHeapWithoutMemory(t *testing.T) {
	items := make([][]byte, 100)
	for i := range items {
		items[i] = bytes.Repeat([]byte{byte(i)}, 1000)
	}
	a := New(dtype.BytesType, []int{100})
	a.Heap.Account = &purse{limit: 10_000}
	if err := put(a, items); !errors.Is(err, errNoMore) || !errors.Is(a.Heap.Err(), errNoMore) {
		t.Errorf("error %v, the heap's is %v", err, a.Heap.Err())
	}
	if n := a.Heap.Put(); n < 1 || n > 10 {
		t.Errorf("%d elements of 1000 bytes were put in 10000", n)
	}
	from, b := New(dtype.BytesType, []int{100}), New(dtype.BytesType, []int{100})
	b.Heap.Account = &purse{limit: 10_000}
	if err := put(from, items); err != nil {
		t.Fatal(err)
	}
	Copy(b, from)
	if !errors.Is(b.Heap.Err(), errNoMore) {
		t.Errorf("after a copy the error of the heap is %v", b.Heap.Err())
	}
	c := New(dtype.BytesType, []int{100})
	c.Heap.Account = &purse{}
	c.Heap.Discard()
	if err := put(c, items); err != nil || c.Heap.Put() != 100 {
		t.Errorf("a heap that keeps nothing: %v after %d elements", err, c.Heap.Put())
	}
}

// TestTally: memory that was borrowed for elements on their way returns to the account.
func TestTally(t *testing.T) {
	p := &purse{limit: 1 << 20}
	dst, between := New(dtype.BytesType, []int{10}), New(dtype.BytesType, []int{10})
	dst.Heap.Account = p
	tally := between.Borrow(dst)
	if err := put(between, [][]byte{make([]byte, 1000), {}, {}, {}, {}, {}, {}, {}, {}, {}}); err != nil {
		t.Fatal(err)
	}
	if p.held < 1000 || tally.Room() != p.Room() {
		t.Errorf("%d bytes are held, want at least 1000; there is room for %d, want %d", p.held, tally.Room(), p.Room())
	}
	tally.End()
	if p.held != 0 {
		t.Errorf("%d bytes are held at the end", p.held)
	}
	var none *Heap
	if err := none.Tally().Take(1 << 40); err != nil || none.Err() != nil {
		t.Errorf("without a heap: %v, %v", err, none.Err())
	}
}

// TestPoolCounts: memory that is counted reduces the idle memory.
func TestPoolCounts(t *testing.T) {
	p := Pool{Keep: 1 << 20}
	p.Get(1 << 19).Release()
	p.Count(1 << 20)
	if p.held != 0 {
		t.Errorf("%d bytes are idle beside %d", p.held, p.Keep)
	}
	p.Get(1 << 19).Release()
	if p.held != 0 {
		t.Errorf("%d bytes are kept beside %d", p.held, p.Keep)
	}
	p.Count(-1 << 20)
	p.Get(1 << 19).Release()
	if p.held != 1<<19 {
		t.Errorf("%d bytes are idle, want %d", p.held, 1<<19)
	}
}
