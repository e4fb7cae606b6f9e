package zarr_test

import (
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

// place is a store in memory that records the requests of its readers.
type place struct {
	t      *testing.T
	memory store.Memory

	mu       sync.Mutex
	requests []string
	faults   map[string]error // by operation and key, such as "read a/c/0"
}

const url = "mem://place/data.zarr"

// put stores objects. It removes objects whose text is empty.
func (p *place) put(objects map[string]string) {
	p.t.Helper()
	st, err := store.Open(p.t.Context(), url, store.Options{Memory: &p.memory})
	if err != nil {
		p.t.Fatal(err)
	}
	for key, text := range objects {
		if text == "" {
			err = errors.Join(err, st.Delete(p.t.Context(), key))
			continue
		}
		err = errors.Join(err, st.Put(p.t.Context(), key, []byte(text)))
	}
	if err := errors.Join(err, st.Sync(p.t.Context()), st.Close()); err != nil {
		p.t.Fatal(err)
	}
}

func newPlace(t *testing.T, objects map[string]string) *place {
	t.Helper()
	p := &place{t: t, faults: map[string]error{}}
	p.put(objects)
	return p
}

func (p *place) options() zarr.Options {
	return zarr.Options{Store: store.Options{Memory: &p.memory, Retries: -1, Fault: func(op, key string) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.requests = append(p.requests, op+" "+key)
		return p.faults[op+" "+key]
	}}}
}

// taken returns the requests since its last call.
func (p *place) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.requests
	p.requests = nil
	return list
}

// v3 returns the document of an array of bytes, with some fields changed. A field that
// is changed to nil is left out.
func v3(t *testing.T, change map[string]any) string {
	t.Helper()
	return document(t, map[string]any{
		"zarr_format": 3, "node_type": "array", "shape": []int{4, 4}, "data_type": "uint8",
		"chunk_grid":         map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{2, 4}}},
		"chunk_key_encoding": "default", "fill_value": 7, "codecs": []any{"bytes"},
	}, change)
}

// v2 is v3 for Zarr v2.
func v2(t *testing.T, change map[string]any) string {
	t.Helper()
	return document(t, map[string]any{
		"zarr_format": 2, "shape": []int{4, 4}, "chunks": []int{2, 4}, "dtype": "|u1", "fill_value": 7,
		"order": "C", "filters": nil, "compressor": nil,
	}, change)
}

func document(t *testing.T, fields, change map[string]any) string {
	t.Helper()
	maps.Copy(fields, change)
	for name, value := range change {
		if value == nil {
			delete(fields, name)
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	group   = `{"zarr_format":3,"node_type":"group","attributes":{"title":"x"}}`
	groupV2 = `{"zarr_format":2}`
)
