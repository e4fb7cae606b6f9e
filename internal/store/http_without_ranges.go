package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// take fills p with the bytes from off on of an object that an answer sends whole. The
// size of the object has to be that of was. One object is read at a time.
func takeWhole(ctx context.Context, k *wholeObjects, url string, answer *http.Response, p []byte, off int64, was Info) error {
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	data, ok := k.get(url)
	if !ok {
		size := answer.ContentLength
		if size > mostKept {
			return tooLargeToKeep(fmt.Sprintf("%d bytes", size))
		}
		var err error
		if size >= 0 {
			k.room(size)
			data = make([]byte, size)
			err = readBody(earning(ctx, answer.Body), data)
		} else {
			k.room(mostKept)
			data, err = io.ReadAll(io.LimitReader(earning(ctx, answer.Body), mostKept+1))
		}
		if err != nil {
			return brokenBody(max(size, int64(len(data))), err)
		}
		if len(data) > mostKept {
			return tooLargeToKeep("more")
		}
		if err := was.checkSize(int64(len(data))); err != nil {
			return err
		}
		if err := new(etagKind).compare(data, headerSums(answer.Header)); err != nil {
			return err
		}
		k.keep(url, data)
	}
	return copyRange(p, data, off)
}

// tooLargeToKeep is the error of an object that is too large to be kept.
func tooLargeToKeep(size string) error {
	return fmt.Errorf("the server knows no ranges and sends whole objects; this one has %s, and %d are kept at most: copy the object first: %w", size, mostKept, errors.ErrUnsupported)
}

// copyRange fills p with the bytes from off on of an object.
func copyRange(p, data []byte, off int64) error {
	if size, want := int64(len(data)), int64(len(p)); off > size-want {
		return &shortError{off: off, want: want, size: size}
	}
	copy(p, data[off:])
	return nil
}
