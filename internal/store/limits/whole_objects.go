package limits

import (
	"slices"
	"sync"
)

// MostKept is the most bytes of whole objects that are kept together.
const MostKept = 64 << 20

// WholeObjects keeps objects of servers that know no ranges. So the server sends each
// object once, and not for every part of it. The objects used last are kept, up to
// MostKept bytes. A WholeObjects is safe for concurrent use.
type WholeObjects struct {
	Turn chan struct{} // has an element while an object is being read
	mu   sync.Mutex
	list []wholeObject // the one used last at the end
}

type wholeObject struct {
	url  string
	data []byte
}

// NewWholeObjects returns a WholeObjects that keeps no object yet.
func NewWholeObjects() *WholeObjects { return &WholeObjects{Turn: make(chan struct{}, 1)} }

// Get returns an object that is kept. The caller must not modify it.
func (k *WholeObjects) Get(url string) ([]byte, bool) {
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

// Room drops objects until there is room for one of size bytes.
func (k *WholeObjects) Room(size int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, o := range k.list {
		size += int64(len(o.data))
	}
	for len(k.list) > 0 && size > MostKept {
		size -= int64(len(k.list[0].data))
		k.list = slices.Delete(k.list, 0, 1)
	}
}

// Keep keeps an object, and takes data over. The caller has made room for it with Room.
func (k *WholeObjects) Keep(url string, data []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, wholeObject{url, data})
}
