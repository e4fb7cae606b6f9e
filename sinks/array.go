package sinks

import (
	"context"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// castagnoli is the polynomial of the receipts' checksums, CRC-32C.

// ArrayWriter stores the chunks of one array.
type ArrayWriter struct {
	store Store
	path  string
	place Placement
}

// Placement says where the chunks of an existing array are stored. The zero value is the
// placement of a new array.
type Placement struct {
	Keys zarr.KeyEncoding
	// First is added to the coordinates of every chunk; nil: nothing is added.
	First []int
}

// Key returns the key of a chunk below its array.
func (p Placement) Key(index []int) string {
	if p.First != nil {
		index = slices.Clone(index)
		for i, n := range p.First {
			index[i] += n
		}
	}
	return p.Keys.Key(index)
}

// Index is the inverse of Key. Coordinates of chunks before First are negative.
// It returns false for a key that is not that of a chunk.
func (p Placement) Index(key string) ([]int, bool) {
	index, ok := p.Keys.Parse(key)
	if ok && len(index) == len(p.First) {
		for i, n := range p.First {
			index[i] -= n
		}
	}
	return index, ok
}

// Array returns the writer of the array at a path. The path is "" for an array that is
// the whole hierarchy.
func (h *Hierarchy) Array(p string, place Placement) *ArrayWriter {
	return &ArrayWriter{h.store, p, place}
}

// Put stores the encoded chunk with these coordinates. It is idempotent. The
// data are borrowed until Put returns. The chunk counts as stored once a Sync
// that began later has returned.
func (w *ArrayWriter) Put(ctx context.Context, index []int, data []byte) (Receipt, error) {
	key := path.Join(w.path, w.place.Key(index))
	version, err := w.store.PutVersion(ctx, key, data)
	if err != nil {
		return Receipt{}, err
	}
	var sum Checksum
	sum.Add(data)
	return Receipt{Key: key, Bytes: int64(len(data)), Sum: sum.Sum(), Version: version}, nil
}

// copier is an ability that a [Store] may have, as *store.Store does.
type copier interface {
	CopyFrom(ctx context.Context, from *store.Store, object store.Info, key string) (made store.Copied, ok bool, err error)
}

// Copy makes the store copy an object of another store to the chunk with these
// coordinates. The store computes the checksum in the receipt. If ok is false, the store
// does not copy the object, and the caller has to put the chunk.
func (w *ArrayWriter) Copy(ctx context.Context, index []int, from *store.Store, object store.Info) (_ Receipt, ok bool, err error) {
	to, able := w.store.(copier)
	if !able {
		return Receipt{}, false, nil
	}
	key := path.Join(w.path, w.place.Key(index))
	made, ok, err := to.CopyFrom(ctx, from, object, key)
	if err == nil && ok && !Proves(made.Sum) && object.Size >= 4 {
		var last [4]byte
		err = from.ReadRange(ctx, object.Key, last[:], object.Size-4)
		made.Sum = NewChecksum(made.Sum, last[:]).Sum()
	}
	return Receipt{Key: key, Bytes: object.Size, Sum: made.Sum, Version: made.Version}, ok, err
}

// Stream begins the object of the chunk with these coordinates, usually a shard. The
// object comes in pieces and is never in memory whole. Close replaces an older object.
// ctx governs the whole stream.
func (w *ArrayWriter) Stream(ctx context.Context, index []int) (*Stream, error) {
	key := path.Join(w.path, w.place.Key(index))
	writer, err := w.store.NewWriter(ctx, key)
	if err != nil {
		return nil, err
	}
	return &Stream{writer: writer, receipt: Receipt{Key: key}}, nil
}

// Stream stores an encoded chunk piece by piece. It serves one goroutine at a time and
// ends with Close or Abort. Abort may follow Close.
type Stream struct {
	writer  *store.Writer
	receipt Receipt // of the pieces so far, without their checksum
	sum     Checksum
}

// Write adds the next piece, which is borrowed until Write returns. After an
// error only Abort is of use.
func (s *Stream) Write(p []byte) (int, error) {
	n, err := s.writer.Write(p)
	s.receipt.Bytes += int64(n)
	s.sum.Add(p[:n])
	return n, err
}

// Close completes the object. As after Put, the chunk counts as stored once a
// Sync that began later has returned.
func (s *Stream) Close() (Receipt, error) {
	if err := s.writer.Close(); err != nil {
		return Receipt{}, err
	}
	s.receipt.Sum, s.receipt.Version = s.sum.Sum(), s.writer.Version()
	return s.receipt, nil
}

// Abort gives the object up, also when the stream's context has ended. Nothing of the
// object stays. After a Close that succeeded, Abort does nothing.
func (s *Stream) Abort() error { return s.writer.Abort() }
