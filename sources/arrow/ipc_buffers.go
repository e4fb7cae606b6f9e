package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/pierrec/lz4/v4"

	"github.com/zmigrate/zmigrate/codecs/zstd"
	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
)

// read fills p with the bytes of a buffer, from byte from on. buffer is its number in
// the batch.
func (r *ipcRows) read(ctx context.Context, buffer int, from int64, p []byte) error {
	span := r.record.Buffers[buffer]
	if r.record.Codec != ipc.Uncompressed {
		data, err := r.decompressed(ctx, buffer)
		if err != nil {
			return err
		}
		if from < 0 || from > int64(len(data)-len(p)) {
			return tooShort(buffer, int64(len(data)), from, len(p))
		}
		copy(p, data[from:])
		return nil
	}
	if from < 0 || from > span.Length-int64(len(p)) {
		return tooShort(buffer, span.Length, from, len(p))
	}
	return r.table.file.Store.ReadRange(ctx, r.table.file.Key, p, r.record.body+span.Offset+from)
}

// view returns n bytes of a buffer, from byte from on. They must not be modified.
func (r *ipcRows) view(ctx context.Context, buffer int, from int64, n int) ([]byte, error) {
	if r.record.Codec != ipc.Uncompressed {
		data, err := r.decompressed(ctx, buffer)
		if err == nil && (from < 0 || n < 0 || from > int64(len(data)-n)) {
			err = tooShort(buffer, int64(len(data)), from, n)
		}
		if err != nil {
			return nil, err
		}
		return data[from:][:n], nil
	}
	if span := r.record.Buffers[buffer]; n < 0 || from < 0 || from > span.Length-int64(n) {
		return nil, tooShort(buffer, span.Length, from, n) // before memory is taken for them
	}
	p := make([]byte, n)
	return p, r.read(ctx, buffer, from, p)
}

func tooShort(buffer int, length, from int64, n int) error {
	return fmt.Errorf("%w: buffer %d has %d bytes, %d are wanted from byte %d on", errCorrupt, buffer, length, n, from)
}

// decompressed returns a whole buffer, and keeps it until all rows are read. The stored
// buffer begins with the length of its content; -1 says that the content is not
// compressed.
func (r *ipcRows) decompressed(ctx context.Context, buffer int) ([]byte, error) {
	if data, ok := r.plain[buffer]; ok {
		return data, nil
	}
	span := r.record.Buffers[buffer]
	if err := r.tally.Take(int(span.Length)); err != nil {
		return nil, err
	}
	stored := make([]byte, span.Length)
	if err := r.table.file.Store.ReadRange(ctx, r.table.file.Key, stored, r.record.body+span.Offset); err != nil {
		return nil, err
	}
	const prefix = 8
	var data []byte
	if len(stored) > 0 {
		if len(stored) < prefix {
			return nil, fmt.Errorf("%w: buffer %d has %d bytes, too few for its length", errCorrupt, buffer, len(stored))
		}
		length := int64(binary.LittleEndian.Uint64(stored))
		stored = stored[prefix:]
		var err error
		switch {
		case length == -1:
			data = stored
		case length < 0 || length/mostRatio > int64(len(stored)):
			return nil, fmt.Errorf("%w: buffer %d claims %d bytes in %d", errCorrupt, buffer, length, len(stored))
		default:
			if err := r.tally.Take(int(length)); err != nil {
				return nil, err
			}
			defer r.tally.Give(int(span.Length))
			if data, err = decompress(r.record.Codec, make([]byte, length), stored); err != nil {
				return nil, fmt.Errorf("%w: buffer %d: %w", errCorrupt, buffer, err)
			}
		}
	}
	r.plain[buffer] = data
	return data, nil
}

// zstds decodes Zstandard, and keeps its memory from one buffer to the next.
var zstds zstd.Decoder

// decompress fills dst with the content of src, which must have exactly the length of
// dst.
func decompress(codec ipc.Codec, dst, src []byte) ([]byte, error) {
	if codec == ipc.Zstd {
		n, err := zstds.Decode(dst, src)
		if err == nil && n != len(dst) {
			err = fmt.Errorf("%d bytes instead of %d", n, len(dst))
		}
		return dst[:n], err
	}
	frame := lz4.NewReader(bytes.NewReader(src))
	if _, err := io.ReadFull(frame, dst); err != nil {
		return nil, err
	}
	var more [1]byte
	if n, err := frame.Read(more[:]); n > 0 || !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more than %d bytes", len(dst))
	}
	return dst, nil
}
