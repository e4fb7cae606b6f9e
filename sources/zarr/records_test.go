package zarr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// memoryStore opens a store in memory.
func memoryStore(t *testing.T, objects map[string]string, fault func(op, key string) error) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), "mem://x", store.Options{Retries: -1, Fault: fault})
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range objects {
		if err := st.Put(t.Context(), key, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// memorySource opens a source in memory.
func memorySource(t *testing.T, objects map[string]string, opt Options) *source {
	t.Helper()
	memory := &store.Memory{}
	st, err := store.Open(t.Context(), "mem://x", store.Options{Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range objects {
		if err := st.Put(t.Context(), key, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	opt.Store.Memory = memory
	src, err := Open(t.Context(), "mem://x", opt)
	if err != nil {
		t.Fatal(err)
	}
	return src.(*source)
}

// v3Document is the document of an array with one dimension.
func v3Document(shape, chunk int, rest string) string {
	return fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":[%d],"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%d]}},"chunk_key_encoding":{"name":"default"},%s}`, shape, chunk, rest)
}

const bytesOfOne = `"data_type":"uint8","fill_value":0,"codecs":["bytes"]`

// TestRecordedVersions compares versions of chunks, also those whose hash is a reserved
// number. Of a local store, or without a version, nothing is recorded. Forget drops the
// records.
func TestRecordedVersions(t *testing.T) {
	s := memorySource(t, map[string]string{"zarr.json": v3Document(8, 1, bytesOfOne)}, Options{})
	opened, err := s.Array(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	a := opened.(storedArray).array
	const zero = "\x9d\x0a\xd9\x6d" // its CRC-32 is 0
	for i, test := range []struct {
		chunk   int
		version string // "-": the chunk is missing
		changed bool
	}{
		{0, "", false}, {0, zero, false}, {0, "other", true}, {0, "-", true}, {0, "", false}, {0, zero, false},
		{1, "v", false}, {1, "v", false}, {1, "w", true}, {7, "-", false}, {7, "-", false}, {7, "v", true}, {7, zero, true},
	} {
		var err error
		if test.version == "-" {
			err = a.checkMissing([]int{test.chunk})
		} else {
			err = a.checkVersion([]int{test.chunk}, test.version)
		}
		if errors.Is(err, sources.ErrChanged) != test.changed || (err != nil) != test.changed {
			t.Errorf("step %d, %+v: %v", i, test, err)
		}
	}
	if s.versions.chunks != 8 {
		t.Errorf("%d chunks are recorded", s.versions.chunks)
	}
	s.opened.entry("x", 7)
	Forget(s)
	if s.versions.chunks != 0 || s.versions.arrays != nil || s.opened.bytes != 0 || s.opened.order.Len() != 0 || len(s.opened.byKey) != 0 {
		t.Errorf("Forget keeps %+v", &s.opened)
	}
	if err := a.checkVersion([]int{1}, "w"); err != nil {
		t.Errorf("after Forget: %v", err)
	}
	if !s.opened.mu.TryLock() {
		t.Fatal("Forget leaves the chunks locked")
	}
	s.opened.mu.Unlock()
	Forget(nil) // of no source of this package
}

// TestOpenedOfOne: the chunk that was opened last stays open, however large it is.
func TestOpenedOfOne(t *testing.T) {
	o := newOpened(nil)
	o.limit = 10
	first := o.entry("a", 100)
	if o.entry("a", 100) != first || o.bytes != 100 {
		t.Errorf("the only entry is dropped, %d bytes", o.bytes)
	}
	if o.entry("b", 3); o.bytes != 3 || o.byKey["a"] != nil {
		t.Errorf("%d bytes", o.bytes)
	}
	if o.entry("c", 7); o.bytes != 10 || o.byKey["b"] == nil { // the limit exactly
		t.Errorf("%d bytes", o.bytes)
	}
}

// TestRechecks: of missing chunks, a thousand and as many as were found are asked for a
// second time.
func TestRechecks(t *testing.T) {
	asked := 0
	fail := error(nil)
	p := &presence{store: memoryStore(t, map[string]string{"there": "x"}, func(op, _ string) error {
		if op == "stat" {
			asked++
		}
		return fail
	})}
	absent := func() error { return fs.ErrNotExist }
	for found := range 3 {
		p.rechecked.Store(freeRechecks)
		for range 5 {
			if there, err := p.read(t.Context(), "none", absent); there || err != nil {
				t.Fatal(there, err)
			}
		}
		if asked != found {
			t.Errorf("%d chunks were found: %d were asked for again", found, asked)
		}
		asked = 0
		if there, err := p.read(t.Context(), "there", func() error { return nil }); !there || err != nil || asked != 0 {
			t.Error(there, err)
		}
	}
	p.rechecked.Store(0)
	tries := 0
	if there, err := p.read(t.Context(), "there", func() error { tries++; return fs.ErrNotExist }); there || !errors.Is(err, errContradiction) || tries != presenceTries {
		t.Errorf("after %d tries: %v, %v", tries, there, err)
	}
	fail = fs.ErrPermission
	if there, err := p.read(t.Context(), "none", absent); there || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a server that does not answer: %v, %v", there, err)
	}
	if there, err := p.read(t.Context(), "none", func() error { return fs.ErrPermission }); there || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a chunk that cannot be read: %v, %v", there, err)
	}
}

// TestKnownFiles: files come in order, each in its first state, and a list that was shown
// does not change.
func TestKnownFiles(t *testing.T) {
	var d identity
	keys := func(list []file) (text string) {
		for _, f := range list {
			text += fmt.Sprintf("%s%d ", f.key, f.size)
		}
		return text
	}
	d.keep(file{key: "b", size: 1}, file{key: "a", size: 2}, file{key: "b", size: 3})
	first := d.known()
	if got := keys(first); got != "a2 b1 " {
		t.Errorf("files %s", got)
	}
	d.keep(file{key: "a", size: 4})
	d.keep(file{key: "0", size: 5})
	if got := keys(d.known()); got != "05 a2 b1 " {
		t.Errorf("files %s", got)
	}
	if got := keys(first); got != "a2 b1 " {
		t.Errorf("the first list is now %s", got)
	}
	if again := d.known(); cap(again) != len(again) {
		t.Error("who appends to a list changes that of others")
	}
}

// TestSharedTexts: equal documents share memory, up to a bound.
func TestSharedTexts(t *testing.T) {
	var known texts
	first, second := []byte("document"), []byte("document")
	if &known.shared(first)[0] != &first[0] || &known.shared(second)[0] != &first[0] {
		t.Error("equal texts do not share memory")
	}
	var k kinds
	made := &kind{}
	for i := range mostKinds {
		if k.put(fmt.Sprint(i), made); k.get(fmt.Sprint(i)) != made {
			t.Fatal("a kind is not known")
		}
		known.shared(fmt.Append(nil, i))
	}
	if len(known) > mostKinds || len(k.known) != mostKinds || k.get("x") != nil {
		t.Errorf("%d texts and %d kinds are known", len(known), len(k.known))
	}
	if k.put("one more", made); len(k.known) != 1 || k.get("0") != nil {
		t.Errorf("%d kinds are known", len(k.known))
	}
}

// TestTakeV2: of the documents of a node, that of an array counts, in any order, and v3
// before v2. Errors of documents are kept.
func TestTakeV2(t *testing.T) {
	array, group := document{key: "a/.zarray", text: []byte(`{"x":1}`)}, document{key: "a/.zgroup", text: []byte(`{}`)}
	attributes := document{key: "a/.zattrs", text: []byte(`{"y":2}`)}
	for i, order := range [][]document{{array, group, attributes}, {group, attributes, array}, {attributes, array, group}} {
		s := &source{nodes: map[string]*node{}}
		for _, d := range order {
			s.take(d)
		}
		if n := s.nodes["a"]; !n.array || string(n.text) != `{"x":1}` || string(n.attributes) != `{"y":2}` || n.format != dtype.V2 || n.err != nil {
			t.Errorf("order %d: %+v", i, n)
		}
		s.take(document{key: "a/zarr.json", text: []byte(`{"zarr_format":3,"node_type":"group"}`)})
		s.take(document{key: "a/.zarray", text: []byte(`{}`), err: fs.ErrPermission})
		if n := s.nodes["a"]; n.array || n.format != dtype.V3 || n.err != nil {
			t.Errorf("order %d, with v3: %+v", i, n)
		}
		s.take(document{key: "b/.zarray", err: fs.ErrPermission})
		s.take(document{key: "b/.zattrs", err: fs.ErrInvalid})
		if err := s.nodes["b"].err; !errors.Is(err, fs.ErrPermission) || !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("errors: %v", err)
		}
	}
}

// TestWalkIsInterrupted: a walk ends with its context.
func TestWalkIsInterrupted(t *testing.T) {
	s := &source{store: memoryStore(t, nil, nil), nodes: map[string]*node{}}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := s.walk(ended, zarr.MetadataKey); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestKindOfArray: how an array is read depends on its type, its codecs and its place.
func TestKindOfArray(t *testing.T) {
	const sharded = `"data_type":"uint8","fill_value":0,"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1024],"codecs":["bytes"],"index_codecs":["bytes","crc32c"]}}]`
	s := memorySource(t, map[string]string{
		"zarr.json":       `{"zarr_format":3,"node_type":"group"}`,
		"small/zarr.json": v3Document(64, 8, `"data_type":"uint8","fill_value":0,"codecs":["bytes",{"name":"zstd","configuration":{"level":1,"checksum":false}}]`),
		"plain/zarr.json": v3Document(4<<20, 4<<20, bytesOfOne), "texts/zarr.json": v3Document(8, 8, `"data_type":"string","fill_value":"","codecs":["vlen-utf8"]`),
		"shards/zarr.json": v3Document(8<<20, 8<<20, sharded), "few/zarr.json": v3Document(2<<20, 2<<20, sharded),
	}, Options{})
	array := func(path string) *array {
		opened, err := s.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return opened.(storedArray).array
	}
	for path, want := range map[string]struct {
		parallel int
		partly   bool
		own      bool // a pool of its own
	}{"small": {mostParallel, false, false}, "plain": {mostParallel, true, false}, "texts": {1, false, true}, "shards": {mostParallel, true, false}, "few": {mostParallel, true, false}} {
		a := array(path)
		each := max(a.chain.RegionMemory()+3*a.chain.Kept(), 1)
		parallel := min(want.parallel, max(parallelBytes/each, 1))
		if a.parallel != parallel || a.Info().Memory != parallel*each || a.partly != want.partly || (a.pool != s.pool) != want.own {
			t.Errorf("%s: %d at once of %d bytes, in all %d, partly %v, own pool %v", path, a.parallel, each, a.Info().Memory, a.partly, a.pool != s.pool)
		}
		if notes := a.Info().Notes; cap(notes) != len(notes) {
			t.Errorf("%s: who appends a note changes those of others", path)
		}
		if a.info != nil {
			t.Errorf("%s: what its kind says is in memory twice", path)
		}
		if again := array(path); again != a {
			t.Errorf("%s: a second call gives another array", path)
		}
	}
	few := array("few")
	if err := few.ReadRegion(t.Context(), ndarray.New(dtype.Uint8, []int{10}), []int{7}); err != nil {
		t.Fatal(err)
	}
	if want := entryBytes + few.chain.Kept(); few.chain.Kept() == 0 || s.opened.bytes != want {
		t.Errorf("an opened shard takes %d bytes, want %d", s.opened.bytes, want)
	}
	if got := s.versions.of(few).record[0].Load(); got != missing {
		t.Errorf("a chunk that is missing is recorded as %d", got)
	}
	for path, want := range map[string][2]bool{"small": {false, false}, "plain": {false, true}, "few": {false, true}, "shards": {true, true}} { // all, a part
		a := array(path)
		all := a.Info().Shape
		if path == "small" {
			all = []int{8}
		}
		if got := [2]bool{a.newParts(all, []int{0}).take().inParts, a.newParts([]int{all[0] - 1}, []int{0}).take().inParts}; got != want {
			t.Errorf("%s: in parts %v, want %v", path, got, want)
		}
	}
}

// TestPackedThatFails: an array whose packed values cannot be stored as codecs is an error
// that names the array and a way out. Arrays whose packing stays say why.
func TestPackedThatFails(t *testing.T) {
	const filter = `{"id":"fixedscaleoffset","scale":1,"offset":0,"dtype":"<f8","astype":"|u1"}`
	array := func(fill, filters, compressor string) string {
		return fmt.Sprintf(`{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"<f8","fill_value":%s,"order":"C","filters":[%s],"compressor":%s}`, fill, filters, compressor)
	}
	const inner = `{"name":"numcodecs.fixedscaleoffset","configuration":{"scale":1,"offset":0,"dtype":"<f8","astype":"|u1"}}`
	s := memorySource(t, map[string]string{
		".zgroup": `{"zarr_format":2}`, "a/.zarray": array(`"NaN"`, filter, "null"), "b/.zarray": array("3", filter, "null"),
		"bad/.zarray": array("3", "", `{"id":"zlib","level":99}`), "late/.zarray": array("3", `{"id":"delta","dtype":"<f8"},`+filter, "null"),
		"plain/.zarray": array("3", "", "null"), "again/.zarray": array("3", "", "null"),
	}, Options{CF: func(string) cf.Mode { return cf.Codecs }})
	for path, want := range map[string]string{"a": "choose cf: keep", "bad": "level"} {
		if _, err := s.Array(t.Context(), path); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("mem://x: array %q: ", path)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	open := func(path string) *sources.Info {
		a, err := s.Array(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return a.Info()
	}
	if b := open("b"); b.Packing == nil || b.Type != dtype.Uint8 {
		t.Errorf("%+v", b)
	}
	if late := open("late"); late.Packing != nil || !slices.ContainsFunc(late.Notes, func(n string) bool { return strings.HasSuffix(n, "stays as it is after numcodecs.delta") }) {
		t.Errorf("%+v", late.Notes)
	}
	if x, y := open("plain"), open("again"); len(x.Notes) != len(y.Notes) || len(s.kinds.known) != 4 {
		t.Errorf("%d kinds", len(s.kinds.known))
	}
	sharded := memorySource(t, map[string]string{"zarr.json": v3Document(4, 4, `"data_type":"float64","fill_value":0,"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[`+
		inner+`,"bytes"],"index_codecs":["bytes","crc32c"]}}]`)}, Options{CF: func(string) cf.Mode { return cf.Codecs }})
	a, err := sharded.Array(t.Context(), "")
	if err != nil || !slices.ContainsFunc(a.Info().Notes, func(n string) bool { return strings.HasSuffix(n, "stays as it is inside of shards") }) {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestNothingThere: the error about a place without Zarr says what is there.
func TestNothingThere(t *testing.T) {
	empty := t.TempDir()
	for url, want := range map[string]string{"mem://x": "in it or below, nor anything else", empty: "; the folder is empty", empty + "/none": "; there is no such folder"} {
		if _, err := Open(t.Context(), url, Options{}); !errors.Is(err, zarr.ErrNotZarr) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
