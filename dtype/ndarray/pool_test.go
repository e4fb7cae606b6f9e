package ndarray

import (
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/zmigrate/zmigrate/dtype"
)

func TestRounded(t *testing.T) {
	for n := 0; n < 1<<22; n += 1 + n/777 {
		got := Rounded(n)
		if got < n || got-n > n/8+4096 {
			t.Fatalf("Rounded(%d) = %d", n, got)
		}
		if n > 4096 && got-n > n/8 {
			t.Fatalf("Rounded(%d) = %d wastes more than an eighth", n, got)
		}
		if Rounded(got) != got {
			t.Fatalf("Rounded(%d) = %d is not a class of its own", n, got)
		}
	}
}

// TestLargeBuffers writes to every byte of buffers that have large pages behind some of
// their memory, wherever the buffers begin.
func TestLargeBuffers(t *testing.T) {
	var p Pool
	for n := 1 << 20; n < 10<<20; n += 1<<20 + 4097 {
		b := p.Get(n)
		for i := range b.Bytes {
			b.Bytes[i] = byte(i >> 12)
		}
		for i, v := range b.Bytes {
			if v != byte(i>>12) {
				t.Fatalf("byte %d of %d is %d", i, n, v)
			}
		}
		b.Release()
	}
	odd := make([]byte, 5<<20)
	for begin := range 3 {
		preferHuge(odd[begin*1111 : len(odd)-begin])
	}
}

func TestPoolReuse(t *testing.T) {
	p := Pool{Keep: 1 << 20}
	a := p.Get(10000)
	if len(a.Bytes) != 10000 || uintptr(unsafe.Pointer(&a.Bytes[0]))%8 != 0 {
		t.Errorf("%d bytes at %p", len(a.Bytes), &a.Bytes[0])
	}
	first := &a.Bytes[0]
	a.Release()
	if a.Bytes != nil {
		t.Error("a released buffer still shows its bytes")
	}
	b := p.Get(9900) // of the same class
	if &b.Bytes[0] != first || len(b.Bytes) != 9900 {
		t.Error("the memory was not lent again")
	}
	c := p.Get(10000)
	if &c.Bytes[0] == first {
		t.Error("memory was lent twice at the same time")
	}
	p.Count(100)
	if want := Rounded(9900) + Rounded(10000) + 100; p.Lent() != 2 || p.Out() != want {
		t.Errorf("Lent = %d, want 2; Out = %d, want %d", p.Lent(), p.Out(), want)
	}
	b.Release()
	c.Release()
	p.Count(-100)
	if p.Lent() != 0 || p.Out() != 0 {
		t.Errorf("Lent = %d, Out = %d, want 0", p.Lent(), p.Out())
	}
	if e := p.Get(0); len(e.Bytes) != 0 {
		t.Errorf("an empty buffer has %d bytes", len(e.Bytes))
	}
}

func TestPoolDoubleRelease(t *testing.T) {
	p := Pool{Keep: 1 << 20}
	a := p.Get(5000)
	a.Release()
	mustPanic(t, "second release", a.Release)
	// A second release also panics after the memory was lent again, and the new owner's
	// bytes stay intact.
	b := p.Get(5000)
	b.Bytes[0] = 7
	mustPanic(t, "release of memory that was lent again", a.Release)
	if b.Bytes[0] != 7 || p.Lent() != 1 {
		t.Error("a second release reached the new owner")
	}
	b.Release()
}

func TestPoolKeep(t *testing.T) {
	var none Pool
	none.Get(5000).Release()
	if none.held != 0 || len(none.idle) != 0 {
		t.Error("the zero pool keeps memory")
	}

	p := Pool{Keep: 64 << 10}
	var list []*Buffer
	for range 20 {
		list = append(list, p.Get(8192))
	}
	for _, b := range list {
		b.Release()
		if p.held > p.Keep {
			t.Fatalf("%d bytes idle, at most %d", p.held, p.Keep)
		}
	}
	if p.held != 64<<10 {
		t.Errorf("%d bytes idle, the pool has room for %d", p.held, p.Keep)
	}
	// The class in use displaces other classes.
	p.Get(16384).Release()
	if len(p.idle[16384]) != 1 || p.held > p.Keep {
		t.Errorf("idle after another class: %d bytes", p.held)
	}
	// A buffer that is larger than the bound displaces nothing.
	p.Get(1 << 20).Release()
	if len(p.idle[16384]) != 1 || len(p.idle[1<<20]) != 0 {
		t.Error("a buffer beyond the bound emptied the pool")
	}
}

func TestPoolInvariants(t *testing.T) {
	p := Pool{Keep: 1 << 20}
	b := p.Get(4096)
	clear(b.Bytes)
	stale := b.Bytes
	b.Release()
	if invariants != (stale[100] == 0xdb) {
		t.Errorf("invariants %v, but the released memory holds %#x", invariants, stale[100])
	}
}

func TestPoolConcurrent(t *testing.T) {
	p := Pool{Keep: 1 << 20}
	var group sync.WaitGroup
	handed := make(chan *Buffer)
	for g := range 4 {
		group.Go(func() {
			r := newRandom(uint64(g))
			for range 300 {
				b := p.Get(r.IntN(40000) + 1)
				for i := range b.Bytes {
					b.Bytes[i] = byte(g)
				}
				handed <- b
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := range handed {
			for _, x := range b.Bytes {
				if x != b.Bytes[0] {
					t.Error("two owners wrote to one buffer")
					break
				}
			}
			b.Release()
		}
	}()
	group.Wait()
	close(handed)
	<-done
	if p.Lent() != 0 {
		t.Errorf("Lent = %d at the end", p.Lent())
	}
}

// TestPoolArray lends arrays. One that is too large takes no memory.
func TestPoolArray(t *testing.T) {
	var p Pool
	a, b, err := p.Array(dtype.Int32, []int{2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Bytes) != 24 || &a.Data[0] != &b.Bytes[0] || !slices.Equal(a.Strides, []int{12, 4}) || a.Heap != nil || p.Lent() != 1 {
		t.Errorf("%d bytes, strides %v, %d lent", len(b.Bytes), a.Strides, p.Lent())
	}
	b.Release()
	if a, b, err = p.Array(dtype.BytesType, []int{4}); err != nil || a.Heap == nil {
		t.Fatalf("texts: heap %v, %v", a.Heap, err)
	}
	b.Release()
	if _, b, err := p.Array(dtype.Int32, []int{1 << 40, 1 << 40}); b != nil || err == nil || p.Lent() != 0 {
		t.Errorf("too large: %v, %d lent", err, p.Lent())
	}
}
