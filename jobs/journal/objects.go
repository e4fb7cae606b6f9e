package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/internal/store"
)

const (
	objects       = "objects/"
	objectsSuffix = ".jsonl.zst"
	objectsLimit  = 2 << 30 // bytes of a list of objects, compressed, that Objects accepts
)

// Object is a stored chunk of a finished job.
type Object struct {
	Key   string `json:"k"` // in the target
	Bytes int64  `json:"n"`
	Sum   uint32 `json:"c"` // as in [sinks.Checksum]
	// Digest is that of the chunk's values, see [sinks.Receipt].
	Digest  digest.Optional `json:"d,omitzero"`
	Version string          `json:"v,omitempty"` // as lists of the store have it
}

func objectsKey(n int) string { return fmt.Sprintf("%s%06d%s", objects, n, objectsSuffix) }

// putObjects writes a list of objects.
func putObjects(ctx context.Context, st *store.Store, key string, stored iter.Seq2[Object, error]) (err error) {
	w, err := st.NewWriter(ctx, key)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Abort())
		}
	}()
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<18)) // twice the window is in memory
	if err != nil {
		return err
	}
	lines := json.NewEncoder(z)
	for o, err := range stored {
		if err == nil {
			err = lines.Encode(o)
		}
		if err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return w.Close()
}

// eachObject calls f for each line until it returns false.
func eachObject(data []byte, f func(Object) bool) error {
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return err
	}
	defer z.Close()
	lines := bufio.NewScanner(z) // of at most 64 KiB each
	for n := 1; lines.Scan(); n++ {
		o, ok := plainObject(lines.Bytes())
		if !ok { // perhaps of another program
			o = Object{}
			if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
		if !f(o) {
			return nil
		}
	}
	return lines.Err()
}

// plainObject reads a stored object; false if the line has another form.
func plainObject(line []byte) (o Object, ok bool) {
	p := plainLine{rest: line}
	if !p.next(`{"k":"`) {
		return o, false
	}
	o.Key = p.text()
	if !p.next(`,"n":`) {
		return o, false
	}
	o.Bytes = int64(p.number(math.MaxInt64))
	if !p.next(`,"c":`) {
		return o, false
	}
	o.Sum = uint32(p.number(math.MaxUint32))
	if p.next(`,"d":"`) {
		o.Digest = p.digest()
	}
	if p.next(`,"v":"`) {
		o.Version = p.text()
	}
	return o, p.whole()
}
