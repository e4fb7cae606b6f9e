package zarr

import (
	"container/list"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// rangeServer serves a folder. It counts the requests for parts of files, and their bytes.
func rangeServer(t *testing.T, dir string) (url string, parts, sent *atomic.Int64) {
	t.Helper()
	parts, sent = new(atomic.Int64), new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var first, last int64
		if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last); n == 2 && strings.HasSuffix(r.URL.Path, ".bin") {
			parts.Add(1)
			sent.Add(last - first + 1)
		}
		w.Header().Set("ETag", `"one"`)
		http.ServeFile(w, r, filepath.Join(dir, filepath.FromSlash(r.URL.Path)))
	}))
	t.Cleanup(server.Close)
	return server.URL, parts, sent
}

// tableOf returns a table of n chunks of four elements in a file of the elements. place says at
// which place of the file chunk i is.
func tableOf(n int, place func(i int) int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"a/.zarray": %s`, arrayDocument(4*n))
	for i := range n {
		fmt.Fprintf(&b, `, "a/%d": ["x.bin", %d, 16]`, i, 8+16*place(i))
	}
	return b.String() + "}"
}

// TestReadTogether reads the chunks of a file by few requests, whether elements or objects are
// wanted, and in whatever order.
func TestReadTogether(t *testing.T) {
	const n = 3*windowChunks + 5
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	for name, place := range map[string]func(i int) int{"in order": func(i int) int { return i }, "backwards": func(i int) int { return n - 1 - i }, "at random": func(i int) int { return order[i] }} {
		dir := writeFiles(t, map[string]string{"refs.json": tableOf(n, place), "x.bin": string(dataFile(4 * n))})
		url, parts, _ := rangeServer(t, dir)
		s, err := openTable(t, url+"/refs.json", Options{})
		if err != nil {
			t.Fatal(err)
		}
		parts.Store(0)
		got, err := values(t, s, "a")
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if want := int32(4 * place(i)); got[4*i] != want {
				t.Fatalf("%s: chunk %d begins with %d, want %d", name, i, got[4*i], want)
			}
		}
		if requests := parts.Load(); requests > 4 {
			t.Errorf("%s: %d requests for %d chunks", name, requests, n)
		}
		a, err := s.Array(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		parts.Store(0)
		stored := a.(sources.Stored)
		for i := range n {
			in, err := stored.OpenStored(t.Context(), []int{i})
			if err != nil {
				t.Fatal(err)
			}
			p := make([]byte, in.Size())
			if err := in.ReadAt(t.Context(), p, 0); err != nil || !slices.Equal(p, dataFile(4 * n)[8+16*place(i):][:16]) {
				t.Errorf("%s: object %d is %v, %v", name, i, p, err)
			}
		}
		if requests := parts.Load(); requests > 4 {
			t.Errorf("%s: %d requests for %d objects", name, requests, n)
		}
		if of := s.(*source).together; of.bytes != 0 || of.order.Len() != 0 {
			t.Errorf("%s: %d bytes stay in memory", name, of.bytes)
		}
	}
}

// TestReadApart: chunks that lie far from each other are read alone, and so are those of a file of
// this machine.
func TestReadApart(t *testing.T) {
	const n, apart = 4, 300 << 10
	var table strings.Builder
	fmt.Fprintf(&table, `{"a/.zarray": %s`, arrayDocument(4*n))
	for i := range n {
		fmt.Fprintf(&table, `, "a/%d": ["x.bin", %d, 16]`, i, i*apart)
	}
	dir := writeFiles(t, map[string]string{"refs.json": table.String() + "}", "x.bin": strings.Repeat("0123", apart)})
	url, parts, sent := rangeServer(t, dir)
	s, err := openTable(t, url+"/refs.json", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := values(t, s, "a"); err != nil || parts.Load() != n || sent.Load() != 16*n {
		t.Errorf("%d requests for %d bytes, %v", parts.Load(), sent.Load(), err)
	}
	local, err := openTable(t, filepath.Join(dir, "refs.json"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := values(t, local, "a"); err != nil || len(local.(*source).together.windows[windowOf{"a", 0}].places) != 0 {
		t.Errorf("local: %v", err)
	}
}

// TestReadTogetherEnds: if only one chunk of each span is wanted, most of what is read is wasted.
// Then reading together ends. Memory stays bounded.
func TestReadTogetherEnds(t *testing.T) {
	const perChunk, n = 64 << 10, 64 * windowChunks / 4
	document := fmt.Sprintf(`{"zarr_format":2,"shape":[%d],"chunks":[%d],"dtype":"|u1","fill_value":0,"order":"C","filters":null,"compressor":null}`, n*perChunk, perChunk)
	var table strings.Builder
	fmt.Fprintf(&table, `{"a/.zarray": %s`, document)
	for i := range n {
		fmt.Fprintf(&table, `, "a/%d": ["x.bin", %d, %d]`, i, i%64*perChunk, perChunk)
	}
	dir := writeFiles(t, map[string]string{"refs.json": table.String() + "}", "x.bin": strings.Repeat("x", 64*perChunk)})
	url, parts, _ := rangeServer(t, dir)
	s, err := openTable(t, url+"/refs.json", Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Array(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	of := s.(*source).together
	dst := ndarray.New(a.Info().Type, []int{1})
	reads := 0
	for range 3 {
		for i := 0; i < n; i += 32 {
			if err := a.ReadRegion(t.Context(), dst, []int{i * perChunk}); err != nil {
				t.Fatal(err)
			}
			reads++
			if of.bytes > of.most {
				t.Fatalf("%d bytes in memory", of.bytes)
			}
		}
	}
	if of.wasted <= of.used+freeWaste {
		t.Errorf("%d bytes used, %d wasted", of.used, of.wasted)
	}
	parts.Store(0)
	if err := a.ReadRegion(t.Context(), dst, []int{0}); err != nil || parts.Load() != 1 {
		t.Errorf("%d requests, %v", parts.Load(), err)
	}
}

// TestReadTogetherLayout: what is remembered of windows stays within its share of the memory, also
// when windows are used again in turn. Windows that are dropped take their bytes with them. With too
// little memory for one window, all chunks are read alone.
func TestReadTogetherLayout(t *testing.T) {
	const windows, n = 40, 40 * windowChunks
	// Neighbours in the array lie beside each other in the file in twos, far from the next two: a
	// window has as many spans as it can have.
	const apart = 300 << 10
	var table strings.Builder
	fmt.Fprintf(&table, `{"a/.zarray": %s`, arrayDocument(4*n))
	for i := range n {
		fmt.Fprintf(&table, `, "a/%d": ["x.bin", %d, 16]`, i, i%windowChunks/2*apart+i%2*16)
	}
	dir := writeFiles(t, map[string]string{"refs.json": table.String() + "}", "x.bin": strings.Repeat("0123", windowChunks/2*apart/4)})
	url, parts, _ := rangeServer(t, dir)
	for name, c := range map[string]struct {
		memory     int64
		spans, all bool // whether there are spans, and whether windows keep them to the end
	}{
		"plenty": {1 << 30, true, true}, "little": {4 << 20, true, false}, "too little": {700 << 10, false, false},
	} {
		resident := &sources.Resident{Memory: c.memory}
		s, err := openTable(t, url+"/refs.json", Options{Resident: resident})
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Array(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		of := s.(*source).together
		if kept := resident.Bytes(); int64(of.most+of.mostLayout) > kept || kept > c.memory/2 {
			t.Errorf("%s: %d bytes of spans and %d of windows at most, %d are counted", name, of.most, of.mostLayout, kept)
		}
		parts.Store(0)
		dst := ndarray.New(a.Info().Type, []int{1})
		for i := range windowChunks {
			for w := range windows {
				if i > 1 && w%8 != 0 {
					continue // a few windows go on
				}
				if err := a.ReadRegion(t.Context(), dst, []int{4 * (w*windowChunks + i)}); err != nil {
					t.Fatal(err)
				}
				if of.layout > of.mostLayout || of.bytes > of.most {
					t.Fatalf("%s: %d bytes of windows, at most %d; %d of spans, at most %d", name, of.layout, of.mostLayout, of.bytes, of.most)
				}
			}
		}
		layout, spans := 0, 0
		for at := of.recent.Front(); at != nil; at = at.Next() {
			w := at.Value.(*window)
			layout += w.bytes
			for _, s := range w.spans {
				if s.at != nil {
					spans++
				}
			}
		}
		if layout != of.layout || len(of.windows) != of.recent.Len() || spans != of.order.Len() || len(of.windows) == windows != c.all || (len(of.windows) > 0) != c.spans {
			t.Errorf("%s: %d windows of %d bytes, %d listed, %d counted; %d spans of them, %d in all", name, len(of.windows), layout, of.recent.Len(), of.layout, spans, of.order.Len())
		}
		if reads := int64(2*windows + (windowChunks-2)*windows/8); !c.spans && parts.Load() != reads || c.all && parts.Load() != reads/2 {
			t.Errorf("%s: %d requests for %d chunks", name, parts.Load(), reads)
		}
	}
	if unsafe.Sizeof(place{}) > placeBytes || unsafe.Sizeof(span{})+unsafe.Sizeof(list.Element{}) > spanBytes || unsafe.Sizeof(window{})+unsafe.Sizeof(list.Element{})+2*unsafe.Sizeof(windowOf{}) > windowBytes {
		t.Error("places, spans or windows take more memory than is counted")
	}
}
