package zarr_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// purse is an account that can give limit bytes.
type purse struct{ room int }

var errPurse = errors.New("no more bytes")

func (p *purse) Lend(n int) ([]byte, error) { return make([]byte, n), p.Take(n) }
func (p *purse) Room() int                  { return p.room }
func (p *purse) Give(n int)                 { p.room += n }

func (p *purse) Take(n int) error {
	if n > p.room {
		return errPurse
	}
	p.room -= n
	return nil
}

// TestTextsWithinAnAccount reads chunks of texts, whose size nothing bounds, with
// accounts that have and do not have enough room.
func TestTextsWithinAnAccount(t *testing.T) {
	const length = 100_000
	object := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 1), length)
	object = append(object, strings.Repeat("x", length)...)
	p := newPlace(t, map[string]string{
		"zarr.json": v3(t, map[string]any{
			"shape": []int{3}, "data_type": "string", "fill_value": "", "codecs": []any{"vlen-utf8"},
			"chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{1}}},
		}),
		"c/0": string(object), "c/1": string(object[:len(object)-1]),
	})
	a, err := open(t, url, p.options()).Array(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		chunk, room int
		want        error
	}{{0, 1 << 20, nil}, {0, 50_000, errPurse}, {0, 150_000, errPurse}, {1, 1 << 20, codecs.ErrCorrupt}, {2, 1, nil}} {
		account := &purse{room: test.room}
		dst := ndarray.New(a.Info().Type, []int{1})
		dst.Heap.Account = account
		err := errors.Join(a.ReadRegion(t.Context(), dst, []int{test.chunk}), dst.Heap.Err())
		if !errors.Is(err, test.want) {
			t.Errorf("chunk %d with %d bytes: error %v, want %v", test.chunk, test.room, err, test.want)
		}
		if test.want == nil && test.chunk == 0 && account.room != test.room-length {
			t.Errorf("%d of %d bytes are left, besides the text", account.room, test.room)
		}
	}
}

// TestMemoryOfLargeChunks: large chunks are read one at a time, also from a server.
// Small chunks are read several at a time.
func TestMemoryOfLargeChunks(t *testing.T) {
	for extent, most := range map[int]int{1 << 25: 1, 1 << 20: 5, 1 << 10: 8} {
		document := v3(t, map[string]any{
			"shape": []int{extent}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{extent}}},
			"codecs": []any{"bytes", map[string]any{"name": "gzip", "configuration": map[string]any{"level": 1}}},
		})
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "zarr.json"), []byte(document), 0o666); err != nil {
			t.Fatal(err)
		}
		local, err := open(t, dir, zarr.Options{}).Array(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		remote, err := open(t, url, newPlace(t, map[string]string{"zarr.json": document}).options()).Array(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if one, all := local.Info().Memory, remote.Info().Memory; one < extent || all%one != 0 || all/one > most || all/one < (most+1)/2 {
			t.Errorf("chunks of %d bytes: %d bytes for one, %d at a server, at most %d times as many", extent, one, all, most)
		}
	}
}
