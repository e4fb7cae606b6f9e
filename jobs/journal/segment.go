package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
)

// Receipt is the record of a finished unit.
type Receipt struct {
	Array int    `json:"a"` // index of the array in the plan
	Unit  int    `json:"u"` // index of the unit in the array
	Key   string `json:"k,omitempty"`
	Bytes int64  `json:"n,omitempty"` // size of the stored object
	Sum   uint32 `json:"c,omitempty"` // CRC-32C of the stored object
	// Version is the version of the stored object, as lists of the store have it.
	Version string `json:"v,omitempty"`
	Empty   bool   `json:"e,omitempty"` // nothing is stored: the chunk holds only the fill value
	// More is how many units directly after this one are Empty, too. One receipt
	// stands for all of them.
	More int `json:"m,omitempty"`
}

// check refuses receipts that contradict themselves.
func (r Receipt) check() error {
	switch {
	case r.Array < 0 || r.Unit < 0 || r.Bytes < 0 || r.More < 0:
		return errors.New("a negative number")
	case r.More > math.MaxInt-r.Unit:
		return errors.New("more units than there can be")
	case r.More > 0 && !r.Empty:
		return errors.New("an object for several chunks")
	case r.Empty && (r.Key != "" || r.Bytes != 0 || r.Sum != 0 || r.Version != ""):
		return errors.New("an empty chunk with an object")
	}
	return nil
}

// encodeSegments cuts receipts into segments of about size bytes.
func encodeSegments(receipts []Receipt, size int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		for i, r := range receipts {
			err := r.check()
			if err == nil {
				err = e.Encode(r)
			}
			if err != nil {
				yield(nil, fmt.Errorf("receipt %d of array %d, unit %d: %w", i, r.Array, r.Unit, err))
				return
			}
			if b.Len() < size && i < len(receipts)-1 {
				continue
			}
			if !yield(b.Bytes(), nil) {
				return
			}
			b.Reset()
		}
	}
}

// parseSegment yields the receipts of a segment. It ends after an error, which names the
// line.
func parseSegment(data []byte) iter.Seq2[Receipt, error] {
	return func(yield func(Receipt, error) bool) {
		for number := 1; len(data) > 0; number++ {
			line, rest, whole := bytes.Cut(data, []byte("\n"))
			data = rest
			r, err := Receipt{}, errors.New("the line is cut off")
			if whole {
				r, err = parseLine(line)
			}
			if err != nil {
				yield(Receipt{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// parseLine reads one receipt and nothing else.
func parseLine(line []byte) (Receipt, error) {
	var fields struct {
		Receipt
		Array *int `json:"a"`
		Unit  *int `json:"u"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&fields); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the line is empty")
		}
		return Receipt{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Receipt{}, errors.New("more than one JSON value")
	}
	if fields.Array == nil || fields.Unit == nil {
		return Receipt{}, errors.New(`no array ("a") or no unit ("u")`)
	}
	r := fields.Receipt
	r.Array, r.Unit = *fields.Array, *fields.Unit
	return r, r.check()
}
