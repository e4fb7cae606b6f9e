package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
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
	Sum   uint32 `json:"c"` // CRC-32C
	// Digest is that of the chunk's values, see [sinks.Receipt].
	Digest  digest.Optional `json:"d,omitzero"`
	Version string          `json:"v,omitempty"` // as lists of the store have it
}

func objectsKey(n int) string { return fmt.Sprintf("%s%06d%s", objects, n, objectsSuffix) }

// objectsKeys returns the keys of all lists of objects except the last but ones. The
// caller holds mu.
func (j *Journal) objectsKeys(but int) []string {
	var keys []string
	for _, n := range j.objects[:max(len(j.objects)-but, 0)] {
		keys = append(keys, objectsKey(n))
	}
	return keys
}

// writeObjects writes the next list of objects, durably, and returns its number; 0 if
// stored is nil.
func (j *Journal) writeObjects(ctx context.Context, stored iter.Seq2[Object, error]) (number int, err error) {
	if stored == nil {
		return 0, nil
	}
	j.mu.Lock()
	number = 1
	if n := len(j.objects); n > 0 {
		number = j.objects[n-1] + 1
	}
	j.mu.Unlock()
	w, err := j.st.NewWriter(ctx, objectsKey(number))
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Abort())
		}
	}()
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20)) // twice the window is in memory
	if err != nil {
		return 0, err
	}
	lines := json.NewEncoder(z)
	for o, err := range stored {
		if err == nil {
			err = lines.Encode(o)
		}
		if err != nil {
			return 0, err
		}
	}
	if err := z.Close(); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return number, j.st.Sync(ctx)
}

// HasObjects tells whether there is a list of objects. The list is that of the completed
// job or, if there is a plan, of the job before it.
func (j *Journal) HasObjects() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.objects) > 0
}

// Objects yields the list of objects, see HasObjects. Of several lines with one key
// the last counts. It ends after an error, which names the list and the line.
func (j *Journal) Objects(ctx context.Context) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		j.mu.Lock()
		key := ""
		if n := len(j.objects); n > 0 {
			key = objectsKey(j.objects[n-1])
		}
		j.mu.Unlock()
		if key == "" {
			return
		}
		data, err := j.st.ReadAll(ctx, key, objectsLimit)
		if err == nil {
			err = eachObject(data, func(o Object) bool { return yield(o, nil) })
		}
		if err != nil {
			yield(Object{}, fmt.Errorf("%s: %s: %w", j.st.URL(), key, err))
		}
	}
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
