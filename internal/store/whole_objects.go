package store

import (
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
