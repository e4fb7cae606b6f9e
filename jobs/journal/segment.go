package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/zmigrate/zmigrate/sinks"
)

// encodeSegments cuts receipts into segments of about size bytes.
func encodeSegments(receipts []sinks.Receipt, size int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		for i, r := range receipts {
			err := r.Check()
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
func parseSegment(data []byte) iter.Seq2[sinks.Receipt, error] {
	return func(yield func(sinks.Receipt, error) bool) {
		for number := 1; len(data) > 0; number++ {
			line, rest, whole := bytes.Cut(data, []byte("\n"))
			data = rest
			r, err := sinks.Receipt{}, errors.New("the line is cut off")
			if whole {
				r, err = parseLine(line)
			}
			if err != nil {
				yield(sinks.Receipt{}, fmt.Errorf("line %d: %w", number, err))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// parseLine reads one receipt and nothing else.
func parseLine(line []byte) (sinks.Receipt, error) {
	if r, ok := plainReceipt(line); ok {
		return r, r.Check()
	}
	return parseJSON(line)
}

// parseJSON is parseLine for a line in any form.
func parseJSON(line []byte) (sinks.Receipt, error) {
	var fields struct {
		sinks.Receipt
		Array *int `json:"a"`
		Unit  *int `json:"u"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&fields); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the line is empty")
		}
		return sinks.Receipt{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return sinks.Receipt{}, errors.New("more than one JSON value")
	}
	if fields.Array == nil || fields.Unit == nil {
		return sinks.Receipt{}, errors.New(`no array ("a") or no unit ("u")`)
	}
	r := fields.Receipt
	r.Array, r.Unit = *fields.Array, *fields.Unit
	return r, r.Check()
}
