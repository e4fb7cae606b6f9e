package sinks

import (
	"context"
	"hash/crc32"
	"path"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/zarr"
)

// castagnoli is the polynomial of the receipts' checksums, CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Receipt is what a stored object leaves behind.
type Receipt struct {
	Key   string
	Bytes int64
	Sum   uint32 // CRC-32C of the object
}

// ArrayWriter puts the chunks of one array.
type ArrayWriter struct {
	store Store
	path  string
}

// Array returns the writer of the array at a path, "" for an array that is
// the whole hierarchy.
func (h *Hierarchy) Array(p string) *ArrayWriter { return &ArrayWriter{h.store, p} }

// Put stores the encoded chunk with these coordinates. It is idempotent; the
// data are borrowed until it returns. The chunk counts as stored once a Sync
// that began later has returned.
func (w *ArrayWriter) Put(ctx context.Context, index []int, data []byte) (Receipt, error) {
	key := path.Join(w.path, zarr.Key(index))
	if err := w.store.Put(ctx, key, data); err != nil {
		return Receipt{}, err
	}
	return Receipt{Key: key, Bytes: int64(len(data)), Sum: crc32.Checksum(data, castagnoli)}, nil
}

// Stream begins the object of the chunk with these coordinates, a shard as a
// rule, which comes in pieces and is never in memory as a whole. It takes the
// place of what is there when it is closed. ctx governs the whole stream.
func (w *ArrayWriter) Stream(ctx context.Context, index []int) (*Stream, error) {
	key := path.Join(w.path, zarr.Key(index))
	writer, err := w.store.NewWriter(ctx, key)
	if err != nil {
		return nil, err
	}
	return &Stream{writer: writer, receipt: Receipt{Key: key}}, nil
}

// Stream is an encoded chunk on its way to the store, in pieces. It serves one
// goroutine at a time and ends with Close or Abort; Abort may follow Close.
type Stream struct {
	writer  *store.Writer
	receipt Receipt // of what has been written
}

// Write adds the next piece, which is borrowed until Write returns. After an
// error only Abort is of use.
func (s *Stream) Write(p []byte) (int, error) {
	n, err := s.writer.Write(p)
	s.receipt.Bytes += int64(n)
	s.receipt.Sum = crc32.Update(s.receipt.Sum, castagnoli, p[:n])
	return n, err
}

// Close completes the object. As after Put, the chunk counts as stored once a
// Sync that began later has returned.
func (s *Stream) Close() (Receipt, error) {
	if err := s.writer.Close(); err != nil {
		return Receipt{}, err
	}
	return s.receipt, nil
}

// Abort gives the object up, also when the stream's context has ended, so that
// nothing of it stays. After a Close that succeeded it does nothing.
func (s *Stream) Abort() error { return s.writer.Abort() }
