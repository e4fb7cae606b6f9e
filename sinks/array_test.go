package sinks_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sinks"
)

func TestPut(t *testing.T) {
	data := []byte("123456789")
	for _, test := range []struct {
		path  string
		index []int
		key   string
	}{
		{"", nil, "c"},
		{"", []int{3}, "c/3"},
		{"a", []int{0, 12}, "a/c/0/12"},
		{"group/inner/a", []int{1, 2, 3}, "group/inner/a/c/1/2/3"},
		{"scalar", nil, "scalar/c"},
	} {
		var r recorder
		w := sinks.New(&r).Array(test.path, sinks.Placement{})
		for range 2 { // idempotent
			got, err := w.Put(t.Context(), test.index, data)
			if err != nil {
				t.Fatal(err)
			}
			want := sinks.Receipt{Key: test.key, Bytes: 9, Sum: 0xe3069283, Version: "version of " + test.key} // the check value of CRC-32C
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("array %q, chunk %v: receipt (-want +got):\n%s", test.path, test.index, diff)
			}
		}
		if diff := cmp.Diff(map[string][]byte{test.key: data}, r.objects); diff != "" {
			t.Errorf("array %q, chunk %v: objects (-want +got):\n%s", test.path, test.index, diff)
		}
	}
	r := recorder{failAt: 1}
	if receipt, err := sinks.New(&r).Array("a", sinks.Placement{}).Put(t.Context(), []int{0}, data); !errors.Is(err, errStore) || receipt != (sinks.Receipt{}) {
		t.Errorf("a failed put gives %+v, %v", receipt, err)
	}
}

// TestStream writes chunks in pieces of all sizes. The object and the receipt are the
// same as those of a Put.
func TestStream(t *testing.T) {
	for _, url := range []string{t.TempDir() + "/a.zarr", "mem://bucket/deep/a.zarr"} {
		s, err := store.Open(t.Context(), url, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := sinks.New(s).Array("g/a", sinks.Placement{})
		data := bytes.Repeat([]byte("0123456789abcdef."), 200_000)
		for _, size := range []int{0, 1, 1000, len(data)} {
			want, err := w.Put(t.Context(), []int{3, 4}, data[:size])
			if err != nil {
				t.Fatal(err)
			}
			for _, piece := range []int{1, 1001, 1 << 20, len(data)} {
				got, err := stream(t, w, data[:size], piece)
				if err != nil {
					t.Fatal(err)
				}
				if (got.Version == "") != (want.Version == "") {
					t.Errorf("%s: version %q of a put, %q of a stream", url, want.Version, got.Version)
				}
				got.Version = want.Version // the files differ
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %d bytes in pieces of %d: receipt (-put +streamed):\n%s", url, size, piece, diff)
				}
				if err := s.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
				stored, err := s.ReadAll(t.Context(), got.Key, 1<<30)
				if err != nil || !bytes.Equal(stored, data[:size]) {
					t.Errorf("%s: %d bytes in pieces of %d: the store has %d other bytes, %v", url, size, piece, len(stored), err)
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// stream sends a chunk in pieces.
func stream(t *testing.T, w *sinks.ArrayWriter, data []byte, piece int) (sinks.Receipt, error) {
	t.Helper()
	s, err := w.Stream(t.Context(), []int{3, 4})
	if err != nil {
		return sinks.Receipt{}, err
	}
	for p := range slices.Chunk(data, piece) {
		if _, err := s.Write(p); err != nil {
			return sinks.Receipt{}, errors.Join(err, s.Abort())
		}
	}
	receipt, err := s.Close()
	return receipt, errors.Join(err, s.Abort())
}

// TestStreamFails fails each operation of a stream in turn, and then gives a stream up.
func TestStreamFails(t *testing.T) {
	failing := ""
	s, err := store.Open(t.Context(), "mem://bucket", store.Options{Fault: func(op, _ string) error {
		if op == failing {
			return errStore
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w := sinks.New(s).Array("a", sinks.Placement{})
	data := make([]byte, 3<<20)
	for _, failing = range []string{"open", "write", "close"} {
		if receipt, err := stream(t, w, data, 1<<20); !errors.Is(err, errStore) || receipt != (sinks.Receipt{}) {
			t.Errorf("a failed %s gives %+v, %v", failing, receipt, err)
		}
	}
	failing = ""
	given, err := w.Stream(t.Context(), []int{3, 4})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := given.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := given.Abort(); err != nil {
		t.Errorf("abort: %v", err)
	}
	if receipt, err := given.Close(); !errors.Is(err, fs.ErrClosed) || receipt != (sinks.Receipt{}) {
		t.Errorf("close after abort: %+v, %v", receipt, err)
	}
	if _, err := s.Stat(t.Context(), "a/c/3/4"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an object is left: %v", err)
	}
	if _, err := sinks.New(&recorder{failAt: 1}).Array("a", sinks.Placement{}).Stream(t.Context(), []int{0}); !errors.Is(err, errStore) {
		t.Errorf("a failed start gives %v", err)
	}
}

// copies is a recorder that can copy objects.
type copies struct {
	recorder
	sum uint32 // of the copies
}

func (c *copies) CopyFrom(_ context.Context, _ *store.Store, object store.Info, key string) (store.Copied, bool, error) {
	return store.Copied{Sum: c.sum, Version: "v"}, object.Key != "other", c.do("copy " + object.Key + " to " + key)
}

// TestCopyOfSelfChecked: the CRC-32C of an object that ends with its own CRC-32C tells nothing. The receipt has
// the one at the end of the object.
func TestCopyOfSelfChecked(t *testing.T) {
	from, err := store.Open(t.Context(), "mem://bucket", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	own := crc32.Checksum([]byte("chunk"), crc32.MakeTable(crc32.Castagnoli))
	data := binary.LittleEndian.AppendUint32([]byte("chunk"), own)
	if err := from.Put(t.Context(), "from", data); err != nil {
		t.Fatal(err)
	}
	w := sinks.New(&copies{sum: crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))}).Array("a", sinks.Placement{})
	got, ok, err := w.Copy(t.Context(), []int{0}, from, store.Info{Key: "from", Size: int64(len(data))})
	if got.Sum != own || !ok || err != nil {
		t.Errorf("%08x, %v, %v, want %08x", got.Sum, ok, err, own)
	}
	_, _, err = w.Copy(t.Context(), []int{0}, from, store.Info{Key: "absent", Size: int64(len(data))})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the end of an absent object: %v", err)
	}
}

// TestCopy lets the store copy an object. ok is false if the store cannot, or does not
// copy this object.
func TestCopy(t *testing.T) {
	index, object := []int{1, 2}, store.Info{Key: "from", Size: 9}
	c := &copies{recorder{failAt: 3}, 7}
	w := sinks.New(c).Array("a", sinks.Placement{First: []int{1, 0}})
	want := sinks.Receipt{Key: "a/c/2/2", Bytes: 9, Sum: 7, Version: "v"}
	if got, ok, err := w.Copy(t.Context(), index, nil, object); got != want || !ok || err != nil {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	if _, ok, err := w.Copy(t.Context(), index, nil, store.Info{Key: "other"}); ok || err != nil {
		t.Errorf("what the store does not copy: %v, %v", ok, err)
	}
	if _, _, err := w.Copy(t.Context(), index, nil, object); !errors.Is(err, errStore) {
		t.Errorf("a copy that failed: %v", err)
	}
	if diff := cmp.Diff([]string{"copy from to a/c/2/2", "copy other to a/c/2/2", "copy from to a/c/2/2"}, c.operations); diff != "" {
		t.Error(diff)
	}
	if _, ok, err := sinks.New(&recorder{}).Array("a", sinks.Placement{}).Copy(t.Context(), index, nil, object); ok || err != nil {
		t.Errorf("a store that cannot copy: %v, %v", ok, err)
	}
}
