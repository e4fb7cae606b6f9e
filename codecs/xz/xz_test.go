package xz_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/xz"
)

// options returns some options of each format.
func options() []xz.Options {
	return []xz.Options{
		{Format: xz.XZ, Check: xz.CRC64, LC: 3, PB: 2, Dictionary: 8 << 20},
		{Format: xz.XZ, LC: 0, LP: 4, PB: 0, Dictionary: 4096, Deltas: []int{xz.MaxDelta, 1, 3}},
		{Format: xz.XZ, Check: xz.SHA256, LC: 4, PB: 4, Dictionary: 1<<32 - 1},
		{Format: xz.Alone, LC: 3, PB: 2, Dictionary: 1 << 20},
		{Format: xz.Raw, LC: 3, PB: 2, Dictionary: 1 << 20, Deltas: []int{2}},
		{Format: xz.Raw, LC: 3, PB: 2, Dictionary: 4096},
		{Format: xz.Raw, LZMA1: true, LC: 1, LP: 1, PB: 1, Dictionary: 1 << 16, Deltas: []int{4}},
	}
}

func contents() [][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 200_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	ramp := make([]byte, 300_000)
	for i := range ramp {
		ramp[i] = byte(i * i >> 11)
	}
	return [][]byte{{}, {1}, noise[:50], noise, ramp, append(append(bytes.Clone(ramp[:9000]), noise[:70_000]...), ramp...)}
}

// TestGolden reads data that liblzma wrote. The encoding of this package is not much
// longer.
func TestGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/python.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		xz.Options
		Content, Encoded []byte
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatal(err)
	}
	for i, c := range cases {
		c.Dictionary = 1 << 20
		prefix := []byte("before")
		got, err := xz.AppendDecode(prefix, c.Encoded, len(c.Content), c.Options)
		if err != nil || !bytes.Equal(got, append(prefix, c.Content...)) {
			t.Errorf("case %d, %+v: %d bytes, %v", i, c.Options, len(got), err)
		}
		if again, err := xz.AppendEncode(nil, c.Content, c.Options); err != nil || len(again) > 2*len(c.Encoded) {
			t.Errorf("case %d, %+v: %d bytes become %d, those of liblzma %d, %v", i, c.Options, len(c.Content), len(again), len(c.Encoded), err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, o := range options() {
		for i, content := range contents() {
			data, err := xz.AppendEncode(nil, content, o)
			if err != nil || len(data) > xz.MaxEncodedSize(len(content), o) {
				t.Errorf("content %d, %+v: %d bytes become %d, %v", i, o, len(content), len(data), err)
				continue
			}
			got, err := xz.AppendDecode(nil, data, len(content), o)
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("content %d, %+v: %v", i, o, err)
			}
			if len(content) == 0 {
				continue
			}
			if _, err := xz.AppendDecode(nil, data, len(content)-1, o); !errors.Is(err, xz.ErrTooLarge) {
				t.Errorf("content %d, %+v, a byte less room: %v, want ErrTooLarge", i, o, err)
			}
			if _, err := xz.AppendDecode(nil, append(data, 1), len(content), o); !errors.Is(err, xz.ErrCorrupt) {
				t.Errorf("content %d, %+v, a byte behind: %v, want ErrCorrupt", i, o, err)
			}
		}
	}
}

// TestStreams: an .xz file is any number of streams, with padding between them.
func TestStreams(t *testing.T) {
	o := options()[0]
	var data, want []byte
	for _, part := range []string{"one", "", "two"} {
		var err error
		if data, err = xz.AppendEncode(data, []byte(part), o); err != nil {
			t.Fatal(err)
		}
		data, want = append(data, 0, 0, 0, 0), append(want, part...)
	}
	if got, err := xz.AppendDecode(nil, data, len(want), o); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := xz.AppendDecode(nil, data[:len(data)-1], len(want), o); !errors.Is(err, xz.ErrCorrupt) {
		t.Errorf("padding of three bytes: %v, want ErrCorrupt", err)
	}
}

// TestLimits: no memory is allocated for sizes that an input only claims.
func TestLimits(t *testing.T) {
	large := xz.Options{Format: xz.Raw, LC: 3, PB: 2, Dictionary: 1<<32 - 1}
	small, err := xz.AppendEncode(nil, []byte("short"), large)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o    xz.Options
		data []byte
	}{
		"raw":   {large, small[:len(small)-1]},
		"alone": {xz.Options{Format: xz.Alone}, []byte("\x5d\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00")},
		"size":  {xz.Options{Format: xz.Alone}, []byte("\x5d\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00")},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := xz.AppendDecode(nil, c.data, 1<<43, c.o)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 4<<20 {
			t.Errorf("%s: %d bytes allocated to refuse %d, %v", name, n, len(c.data), err)
		}
	}
}

func TestVerify(t *testing.T) {
	for _, change := range []func(*xz.Options){
		func(o *xz.Options) { o.Format = 0 },
		func(o *xz.Options) { o.Format = 4 },
		func(o *xz.Options) { o.Check = 2 },
		func(o *xz.Options) { o.Format = xz.Raw },
		func(o *xz.Options) { o.Deltas = []int{0} },
		func(o *xz.Options) { o.Deltas = []int{257} },
		func(o *xz.Options) { o.Deltas = []int{1, 1, 1, 1} },
		func(o *xz.Options) { o.Format, o.Check, o.Deltas = xz.Alone, xz.None, []int{1} },
		func(o *xz.Options) { o.LC, o.LP = 3, 2 },
		func(o *xz.Options) { o.PB = 5 },
		func(o *xz.Options) { o.Dictionary = 4095 },
		func(o *xz.Options) { o.Dictionary = 1 << 32 },
	} {
		o := options()[0]
		if err := o.Verify(); err != nil {
			t.Fatal(err)
		}
		change(&o)
		if err := o.Verify(); err == nil {
			t.Errorf("%+v is accepted", o)
		}
		if _, err := xz.AppendEncode(nil, []byte("x"), o); err == nil {
			t.Errorf("%+v writes", o)
		}
	}
}

// FuzzDecode: whatever the input is, the output is within its limit.
func FuzzDecode(f *testing.F) {
	for i, o := range options() {
		for _, content := range []string{"", "a", "some content, some content", string(make([]byte, 3000))} {
			data, err := xz.AppendEncode(nil, []byte(content), o)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, uint16(len(content)), uint8(i))
		}
	}
	all := options()
	f.Fuzz(func(t *testing.T, data []byte, most uint16, which uint8) {
		o := all[int(which)%len(all)]
		content, err := xz.AppendDecode(nil, data, int(most), o)
		if err != nil {
			if !errors.Is(err, xz.ErrCorrupt) && !errors.Is(err, xz.ErrTooLarge) {
				t.Fatal(err)
			}
			return
		}
		if len(content) > int(most) {
			t.Fatalf("%d bytes, at most %d", len(content), most)
		}
		again, err := xz.AppendEncode(nil, content, o)
		if err == nil {
			again, err = xz.AppendDecode(nil, again, len(content), o)
		}
		if err != nil || !bytes.Equal(again, content) {
			t.Fatalf("a second round differs: %v", err)
		}
	})
}
