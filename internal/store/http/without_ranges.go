package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// takeWhole fills p with the bytes from off on of an object that an answer sends whole. The
// size of the object has to be that of was. One object is read at a time.
func takeWhole(ctx context.Context, k *limits.WholeObjects, url string, answer *http.Response, p []byte, off int64, was driver.Info) error {
	select {
	case k.Turn <- struct{}{}:
		defer func() { <-k.Turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	data, ok := k.Get(url)
	if !ok {
		size := answer.ContentLength
		if size > limits.MostKept {
			return tooLargeToKeep(fmt.Sprintf("%d bytes", size))
		}
		var err error
		if size >= 0 {
			k.Room(size)
			data = make([]byte, size)
			err = remote.ReadBody(limits.Earning(ctx, answer.Body), data)
		} else {
			k.Room(limits.MostKept)
			data, err = io.ReadAll(io.LimitReader(limits.Earning(ctx, answer.Body), limits.MostKept+1))
		}
		if err != nil {
			return driver.BrokenBody(max(size, int64(len(data))), err)
		}
		if len(data) > limits.MostKept {
			return tooLargeToKeep("more")
		}
		if err := was.CheckSize(int64(len(data))); err != nil {
			return err
		}
		if err := new(remote.EtagKind).Compare(data, remote.HeaderSums(answer.Header)); err != nil {
			return err
		}
		k.Keep(url, data)
	}
	return copyRange(p, data, off)
}

// tooLargeToKeep is the error of an object that is too large to be kept.
func tooLargeToKeep(size string) error {
	return fmt.Errorf("the server knows no ranges and sends whole objects; this one has %s, and %d are kept at most: copy the object first: %w", size, limits.MostKept, errors.ErrUnsupported)
}

// copyRange fills p with the bytes from off on of an object.
func copyRange(p, data []byte, off int64) error {
	if size, want := int64(len(data)), int64(len(p)); off > size-want {
		return &driver.ShortError{Off: off, Want: want, Size: size}
	}
	copy(p, data[off:])
	return nil
}
