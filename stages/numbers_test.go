package stages

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/words"
)

// TestRunLength counts the bytes of blocks that lie together in the source, until the run is long.
func TestRunLength(t *testing.T) {
	for _, test := range []struct {
		shape, chunk, block, order []int
		long, want                 int
	}{
		{[]int{8, 8, 8}, []int{2, 2, 2}, []int{1, 1, 1}, []int{0, 1, 2}, 1 << 20, 4},
		{[]int{8, 8, 8}, []int{2, 2, 2}, []int{1, 1, 4}, []int{0, 1, 2}, 1 << 20, 32},
		{[]int{8, 8, 8}, []int{2, 2, 2}, []int{1, 4, 4}, []int{0, 1, 2}, 1 << 20, 256},
		{[]int{8, 8, 8}, []int{2, 2, 2}, []int{4, 1, 1}, []int{2, 1, 0}, 1 << 20, 32},
		{[]int{7, 7}, []int{2, 2}, []int{4, 4}, []int{0, 1}, 1 << 20, 98}, // the last chunks reach beyond the array
		{[]int{4, 8}, []int{4, 8}, []int{1, 1}, []int{0, 1}, 16, 16},      // long exactly
		{[]int{4, 8}, []int{4, 8}, []int{1, 1}, []int{0, 1}, 17, 64},
	} {
		x := described(t, test.shape, test.chunk, nil)
		if got := x.run(test.order, test.block, test.long); got != test.want {
			t.Errorf("%+v: %d bytes", test, got)
		}
	}
}

// TestReaderRestsWhileWritersWork: a reader that has handed nothing over, because all writers
// are at work, does not count as busy.
func TestReaderRestsWhileWritersWork(t *testing.T) {
	chain := bind(t, []int{4, 5}, "bytes")
	s, x, w := stored(t, []int{18, 12}, []int{4, 5}, chain)
	var opened atomic.Int64
	s.open = func() error { opened.Add(1); return nil }
	monitor, release := new(Monitor), make(chan struct{})
	w.before = func(context.Context, []int) error { <-release; return nil }
	var l ledger
	c := config(&l)
	c.Read, c.Write, c.Monitor = 1, 1, monitor
	ended := make(chan error, 1)
	go func() { ended <- Run(t.Context(), c, List{x}) }()
	rests := func() bool {
		return opened.Load() == 2 && slices.ContainsFunc(monitor.Activities(), func(a Activity) bool { return a.Stage == "read" && a.Array == "" })
	}
	for deadline := time.Now().Add(patience); !rests(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Errorf("%d objects are opened, the workers do %+v", opened.Load(), monitor.Activities())
			break
		}
	}
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestRoomOfCarriedObjects: an object that fits into a piece is in memory whole, and any
// other piece by piece, unless verifying it takes all of its bytes.
func TestRoomOfCarriedObjects(t *testing.T) {
	for name, test := range map[string]struct {
		codecs []string
		piece  int
		whole  bool
	}{
		"fits": {[]string{"bytes"}, 40, true}, "does not fit": {[]string{"bytes"}, 39, false}, "the default": {[]string{"bytes"}, 0, true},
		"is verified whole": {[]string{"bytes", "crc32c"}, 39, false}, "nothing bounds it": {[]string{"bytes", "zstd"}, 39, false},
	} {
		chain := bind(t, []int{4, 5}, test.codecs...)
		x := Task{Chain: chain, Piece: test.piece, StreamBytes: 1 << 20}
		room, own := x.room()
		whole := test.whole || chain.VerifiesAll() && !chain.Size().Unbounded
		wantRoom, wantOwn := test.piece, max(1<<20, chain.VerifyMemory(false))
		if whole {
			wantRoom, wantOwn = chain.Size().Max, chain.VerifyMemory(true)
		}
		if room != wantRoom || own != wantOwn {
			t.Errorf("%s: room for %d bytes and %d others, want %d and %d", name, room, own, wantRoom, wantOwn)
		}
		if got, want := x.carriedCost(), ndarray.Rounded(wantRoom)+wantOwn; got != want {
			t.Errorf("%s: costs %d bytes, want %d", name, got, want)
		}
		x.StreamBytes, x.Decode = 0, codecs.NewBoxes(chain)
		_, own = x.room()
		if got, want := x.carriedCost(), ndarray.Rounded(wantRoom)+max(own, x.Decode.Memory()); got != want || x.Decode.Memory() <= own {
			t.Errorf("%s: with a digest it costs %d bytes, want %d", name, got, want)
		}
	}
}

// TestStreamThatCannotBegin: an object that is too large for memory is not stored if its
// stream cannot begin.
func TestStreamThatCannotBegin(t *testing.T) {
	noLeaks(t)
	_, x, w := stored(t, []int{18, 12}, []int{4, 5}, bind(t, []int{4, 5}, "bytes"))
	x.Piece = 8
	x.Stream = func(context.Context, []int) (Stream, error) { return nil, errTest }
	var l ledger
	if err := Run(t.Context(), config(&l), List{x}); !errors.Is(err, errTest) || len(l.receipts) != 0 || len(w.objects) != 0 {
		t.Errorf("got %v, %d receipts, %d objects", err, len(l.receipts), len(w.objects))
	}
}

// summed is an object with a checksum.
type summed struct {
	codecs.InMemory
	table *crc32.Table
	sum   uint32
}

func (s summed) Sum() (*crc32.Table, uint32) { return s.table, s.sum }

// TestSumCheck compares bytes that come in pieces with the checksum of the store, if it has
// one.
func TestSumCheck(t *testing.T) {
	data := []byte("123456789")
	for name, test := range map[string]struct {
		in   codecs.Input
		good bool
	}{
		"right": {summed{data, crc32.MakeTable(crc32.Castagnoli), 0xe3069283}, true}, "wrong": {summed{data, crc32.MakeTable(crc32.Castagnoli), 0xe3069282}, false}, "zero": {summed{data, crc32.MakeTable(crc32.Castagnoli), 0}, false},
		"unknown": {summed{data, nil, 5}, true}, "none": {codecs.InMemory(data), true},
	} {
		check := newSumCheck(test.in)
		check.add(data[:4])
		check.add(nil)
		check.add(data[4:])
		if err := check.compare(); (err == nil) != test.good || err != nil && !strings.Contains(err.Error(), "have the CRC e3069283") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCeil divides, and rounds up.
func TestCeil(t *testing.T) {
	for _, test := range [][3]int{{0, 3, 0}, {1, 3, 1}, {3, 3, 1}, {4, 3, 2}, {6, 3, 2}, {7, 1, 7}} {
		if got := ceil(test[0], test[1]); got != test[2] {
			t.Errorf("%d / %d is %d", test[0], test[1], got)
		}
	}
	for _, test := range [][3]int{{12, 18, 6}, {18, 12, 6}, {5, 7, 1}, {6, 6, 6}, {8, 1, 1}} {
		if got := gcd(test[0], test[1]); got != test[2] {
			t.Errorf("the divisor of %d and %d is %d", test[0], test[1], got)
		}
	}
}

// TestOrElse: only a positive number is a setting.
func TestOrElse(t *testing.T) {
	for n, want := range map[int]int{-1: 7, 0: 7, 1: 1, 9: 9} {
		if got := orElse(n, 7); got != want {
			t.Errorf("%d counts as %d", n, got)
		}
	}
}

// TestTooLarge says what of the memory is for the source, and what helps.
func TestTooLarge(t *testing.T) {
	plain := described(t, []int{64, 64}, []int{8, 8}, nil)
	reading := described(t, []int{64, 64}, []int{8, 8}, nil)
	info := &reading.Source.(*memorySource).info
	info.Memory = 5 << 20
	chunked := described(t, []int{64, 64}, []int{8, 8}, nil)
	chunkedInfo := &chunked.Source.(*memorySource).info
	chunkedInfo.Memory, chunkedInfo.Chunks = 5<<20, []int{64, 32}
	carried := chunked
	carried.Stored = &storedSource{}
	inFront := described(t, []int{64, 64}, []int{8, 8}, nil)
	inFront.Chain = shards(t, []int{8, 8}, []int{4, 4}, "start")
	const cell = 8 * 8 * 2
	own := 5<<20 + cell // the elements, and what the source takes
	const smaller = " or choose smaller chunks"
	for name, test := range map[string]struct {
		task          Task
		budget        int
		message, hint string
	}{
		"plain":   {plain, 1, "one block of chunks of shape [8 8] takes %s in flight", "raise run.memory to 1MiB" + smaller},
		"reading": {reading, own - 1, "one block of chunks of shape [8 8] takes %s in flight, of which 5.0 MiB are for reading the source", "raise run.memory to 6MiB" + smaller},
		"chunks":  {chunked, 5 << 20, "one block of chunks of shape [8 8] takes %s in flight, of which 5.0 MiB are for reading the source with its chunks of shape [64 32]", "raise run.memory to 6MiB"},
		"carried": {carried, 1, "one block of chunks of shape [8 8] takes %s in flight", "raise run.memory to 1MiB" + smaller},
		"index in front": {inFront, 1, "one block of chunks of shape [8 8] takes %s in flight",
			"raise run.memory to 1MiB" + smaller + "; with index_location: end an inner chunk is written as soon as it is encoded, and need not wait for the whole shard"},
	} {
		message, hint := test.task.TooLarge(test.budget, 0)
		if want := fmt.Sprintf(test.message, words.Size(int64(test.task.Cost()))); message != want || hint != test.hint {
			t.Errorf("%s: %q, %q, want %q, %q", name, message, hint, want, test.hint)
		}
	}
	// A whole number of MiB needs no more than that.
	info.Memory = 5<<20 - reading.Cost() + info.Memory
	if _, hint := reading.TooLarge(1, 0); reading.Cost() != 5<<20 || hint != "raise run.memory to 5MiB" {
		t.Errorf("%d bytes: %q", reading.Cost(), hint)
	}
	if _, hint := reading.TooLarge(1, 3<<20); hint != "raise run.memory to 8MiB" {
		t.Errorf("with 3 MiB for others: %q", hint)
	}
}

// TestInTarget: messages and digests count from the first object of the grid in the target.
func TestInTarget(t *testing.T) {
	x := described(t, []int{64, 60}, []int{8, 12}, nil)
	if got := x.inTarget([]int{3, 4}); !slices.Equal(got, []int{3, 4}) {
		t.Errorf("chunk %v", got)
	}
	x.First = []int{10, 1}
	index := []int{3, 4}
	if got := x.inTarget(index); !slices.Equal(got, []int{13, 5}) || index[0] != 3 {
		t.Errorf("chunk %v, of %v", got, index)
	}
	if err := x.fail(index, "read", errTest); err.Error() != `array "a", chunk [13 5]: read: made to fail` || !errors.Is(err, errTest) {
		t.Error(err)
	}
	start := []int{16, 48}
	if at := x.placeOf([]int{8, 24}, start); !slices.Equal(at.Start, []int{96, 60}) || !slices.Equal(at.Shape, []int{8, 12}) || start[0] != 16 {
		t.Errorf("placed at %+v", at)
	}
	x.Chain = shards(t, []int{8, 12}, []int{4, 3}, "end")
	if got := x.inTarget(index); !slices.Equal(got, []int{23, 8}) { // two inner chunks by four in each shard
		t.Errorf("inner chunk %v", got)
	}
	if got := x.bufferShape([]int{2, 3}); !slices.Equal(got, []int{8, 9}) {
		t.Errorf("a block of shape %v", got)
	}
}

// TestShardsOwn: a shard takes memory beside its inner chunks, and inner chunks wait if the
// index is in front.
func TestShardsOwn(t *testing.T) {
	for location, waits := range map[string]bool{"start": true, "end": false} {
		x := described(t, []int{64, 64}, []int{8, 8}, nil)
		x.Chain, x.StreamBytes = shards(t, []int{8, 8}, []int{4, 2}, location), 1000
		layout, _ := x.shardLayout()
		waiting := 0
		if waits {
			waiting = ndarray.Rounded(layout.Inner().Size().Max)
		}
		own := 16*8 + 3*layout.IndexSize() + 1000
		buffer, unit, _ := x.cost(3)
		if x.waiting() != waiting || x.own() != own || x.costOf(3, 2) != buffer+2*unit+own+8*waiting {
			t.Errorf("%s: %d wait, %d of its own, costs %d", location, x.waiting(), x.own(), x.costOf(3, 2))
		}
		s := newShard(&x, 0, 9, layout)
		if s.reserved() != own+8*waiting || s.innerChunks() != 8 {
			t.Errorf("%s: %d bytes are reserved for %d inner chunks", location, s.reserved(), s.innerChunks())
		}
	}
	// A shard at the edge has fewer inner chunks. They are numbered as in a whole one.
	x := described(t, []int{10, 11}, []int{8, 8}, nil)
	x.Chain = shards(t, []int{8, 8}, []int{4, 2}, "end")
	layout, _ := x.shardLayout()
	s := newShard(&x, 0, 3, layout)
	var numbers []int
	for k := range s.innerChunks() {
		numbers = append(numbers, s.innerChunk(k))
	}
	if !slices.Equal(s.inside, []int{1, 2}) || !slices.Equal(numbers, []int{0, 1}) || !slices.Equal(s.cell(5), []int{3, 5}) {
		t.Errorf("inside %v, numbers %v, cell %v", s.inside, numbers, s.cell(5))
	}
	s = newShard(&x, 0, 1, layout) // two inner chunks by two
	numbers = nil
	for k := range s.innerChunks() {
		numbers = append(numbers, s.innerChunk(k))
	}
	if !slices.Equal(s.inside, []int{2, 2}) || !slices.Equal(numbers, []int{0, 1, 4, 5}) {
		t.Errorf("inside %v, numbers %v", s.inside, numbers)
	}
}

// TestFarReadsThatFail: of the parts of a block that several readers read together, each that
// cannot be read is the error of the run.
func TestFarReadsThatFail(t *testing.T) {
	const rows = 12
	for at := range rows {
		noLeaks(t)
		s := counted(rows, 8)
		s.info.LongRun = 16 // a row
		var starts atomic.Int64
		s.before = func(_ context.Context, start []int) error {
			starts.Add(1)
			if start[0] == at {
				return errTest
			}
			return nil
		}
		x, _ := task(t, s, rows, 8)
		var l ledger
		c := config(&l)
		c.Far, c.Read = true, 4
		if err := Run(t.Context(), c, List{x}); !errors.Is(err, errTest) || len(l.receipts) != 0 {
			t.Errorf("row %d of %d reads cannot be read: %v, %d receipts", at, starts.Load(), err, len(l.receipts))
		}
	}
}
