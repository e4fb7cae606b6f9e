package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
)

// mostKept is the most bytes of whole objects that are kept together.
const mostKept = 64 << 20

// wholeObjects keeps objects of servers that know no ranges. So the server sends each
// object once, and not for every part of it. The objects used last are kept, up to
// mostKept bytes. A wholeObjects is safe for concurrent use.
type wholeObjects struct {
	turn chan struct{} // has an element while an object is being read
	mu   sync.Mutex
	list []wholeObject // the one used last at the end
}

type wholeObject struct {
	url  string
	data []byte
}

func newWholeObjects() *wholeObjects { return &wholeObjects{turn: make(chan struct{}, 1)} }

// get returns an object that is kept. The caller must not modify it.
func (k *wholeObjects) get(url string) ([]byte, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := slices.IndexFunc(k.list, func(o wholeObject) bool { return o.url == url })
	if at < 0 {
		return nil, false
	}
	found := k.list[at]
	k.list = append(slices.Delete(k.list, at, at+1), found)
	return found.data, true
}

// room drops objects until there is room for one of size bytes.
func (k *wholeObjects) room(size int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, o := range k.list {
		size += int64(len(o.data))
	}
	for len(k.list) > 0 && size > mostKept {
		size -= int64(len(k.list[0].data))
		k.list = slices.Delete(k.list, 0, 1)
	}
}

func (k *wholeObjects) keep(url string, data []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, wholeObject{url, data})
}

// take fills p with the bytes from off on of an object that an answer sends whole. The
// size of the object has to be that of was. One object is read at a time.
func (k *wholeObjects) take(ctx context.Context, url string, answer *http.Response, p []byte, off int64, was Info) error {
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
