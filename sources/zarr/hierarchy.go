package zarr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/n5"
	"github.com/zmigrate/zmigrate/zarr"
)

// ErrMissingChunk is the cause of an error about a missing chunk.
var ErrMissingChunk = errors.New("the chunk is not there, and missing_chunks: error wants every one")

// source implements [sources.Source].
type source struct {
	url       string
	options   Options
	many      int            // sources that share the bounds of the memory that is kept
	clients   *store.Clients // nil if they are the caller's
	store     *store.Store
	referred  *referred // the files behind a table of references; nil: the store holds the objects
	together  *together // reads chunks of these files; nil as referred
	types     *dtype.Registry
	codecs    *codecs.Registry
	decoders  *codecs.Registry // codecs, and filters of v2 that are only decoded
	chains    *codecs.Chains
	kinds     kinds
	remarks   lastRemarks
	texts     texts // of documents of v2
	cf        func(path string) cf.Mode
	kept      func(path string, t dtype.Type) bool
	allChunks bool             // a missing chunk is an error
	nodes     map[string]*node // by path
	groups    []sources.Group
	arrays    []string
	files     identity
	presence  presence
	complete  completeness // remembers arrays without missing chunks; used with allChunks
	versions  versions     // of chunks
	opened    *opened
	pool      *ndarray.Pool
	axes      map[string][]string // names of the axes of images, by the paths of arrays; nil: none are known
	chosen    bool                // choosesFills, computed before the arrays drop their documents
}

// setStore makes the source read another store. Nothing that was read before counts.
func (s *source) setStore(st *store.Store) {
	s.store, s.presence.store = st, st
	s.files.store, s.files.files = st, nil
}

// node is a group or an array, by its document.
type node struct {
	array  bool
	format dtype.Format
	n5     bool  // the document is one of N5
	err    error // why the node cannot be read
	*documents

	// opened is the array, once it is opened. Then documents is nil, because nothing else
	// needs them.
	mu     sync.Mutex
	opened sources.Array
}

// documents are what a node says about itself.
type documents struct {
	text       []byte   // the document
	attributes []byte   // the document .zattrs; nil if there is none
	python     []string // attributes with numbers that JSON does not have
}

// findings returns findings about attributes that cannot stay unchanged.
func (n *node) findings() (list []cf.Finding) {
	for _, name := range n.python {
		if name != "_FillValue" { // _FillValue is reported as a fill value
			list = append(list, cf.Finding{
				Code:    sources.NotJSON,
				Message: fmt.Sprintf("attribute %q: NaN and infinity, which JSON does not have as numbers, become strings", name),
				Hint:    "give it another value by attributes",
			})
		}
	}
	return list
}

// array implements [sources.Array].
type array struct {
	source     *source
	path       string
	attributes zarr.Attributes
	remarks    *remarks      // about this array alone; nil: none
	info       *sources.Info // nil: Info computes it from the kind and the fields above
	*kind
}

// kind is what arrays share if their documents differ only in attributes. It is immutable.
type kind struct {
	common sources.Info // without path, attributes and findings
	grid   zarr.Grid
	keys   zarr.KeyEncoding
	chain  *codecs.Chain // of chunks with the shape grid.Chunk
	fill   dtype.Scalar  // of chunks that are not stored
	// reorder converts decoded elements to the host's order, step by step. It is set
	// for records of v2 whose fields have different byte orders.
	reorder []dtype.Ordered
	// n5 is set for arrays of N5, whose blocks are not all what the chain decodes. The index of a
	// block is reversed in its key.
	n5     *n5.Array
	partly bool // the chain can decode a region from less than a whole chunk
	named  bool // a v2 array whose dimensions have names
	// parallel is the number of parts of a region that are read at once.
	parallel int
	// box is the shape of the parts of a shard that are read at once, in elements. It is nil if a
	// shard is read as one part.
	box []int
	// pool has the buffers for decoding. For elements of variable size it keeps no idle
	// memory, because nobody has reserved that memory.
	pool *ndarray.Pool
}

// decodedBy gives the array a kind of its own, with another chain and the fill value of
// that chain's elements.
func (a *array) decodedBy(chain *codecs.Chain, fill dtype.Scalar) {
	own := *a.kind
	own.chain, own.fill = chain, fill
	a.kind = &own
}

// mostKinds is how many kinds are remembered. If there are more, all of them are forgotten,
// because arrays of so many kinds share little.
const mostKinds = 1024

// kinds remembers kinds by what their documents say. It is safe for concurrent use.
type kinds struct {
	mu    sync.Mutex
	known map[string]*kind
}

func (k *kinds) get(document string) *kind {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known[document]
}

func (k *kinds) put(document string, made *kind) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) == mostKinds {
		k.known = map[string]*kind{}
	}
	k.known[document] = made
}

// shorten saves memory: the array no longer keeps what its kind also says. The array is not
// changed after that.
func (a *array) shorten() {
	own := a.info
	if own.Packing != nil || own.Obstacle != "" || own.Axes {
		return
	}
	a.info, a.attributes = nil, own.Attributes
	if own.Findings != nil || len(own.Notes) != len(a.common.Notes) {
		a.remarks = a.source.remarks.shared(own)
	}
}

// remarks are the findings and notes of an array that its kind does not have.
type remarks struct {
	findings []cf.Finding
	notes    []string // with those of the kind
}

// lastRemarks remembers the remarks of one array, because the next array mostly has the
// same ones. It is safe for concurrent use.
type lastRemarks struct {
	mu   sync.Mutex
	last *remarks
}

// shared returns the remarks of an array. If they equal the remarks of the array before, it
// returns those.
func (l *lastRemarks) shared(info *sources.Info) *remarks {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil || !slices.Equal(l.last.findings, info.Findings) || !slices.Equal(l.last.notes, info.Notes) {
		l.last = &remarks{info.Findings, info.Notes}
	}
	return l.last
}

// key returns the key of a chunk in the store.
func (a *array) key(index []int) string { return path.Join(a.path, a.chunkKey(index)) }

// chunkKey returns the key of a chunk below the array.
func (k *kind) chunkKey(index []int) string {
	if k.n5 != nil {
		index = slices.Clone(index)
		slices.Reverse(index)
	}
	return k.keys.Key(index)
}

// mostVersions bounds the chunks of a source whose versions are recorded, in four bytes
// each.
const mostVersions = 1 << 24

// versions records the version (ETag or generation) of each chunk of a remote source,
// from the first list or answer that names the chunk. All later reads of the chunk, and
// the list at the end, must agree with the record. It is safe for concurrent use.
type versions struct {
	mu     sync.Mutex
	arrays map[string]*arrayVersions // by path
	chunks int                       // of all arrays together
}

// arrayVersions has the versions of an array's chunks.
type arrayVersions struct {
	array  *array
	record []atomic.Uint32 // for each chunk a hash, unseen or missing; nil: the array has too many chunks
}

// sampled is the most chunks of an array that are part of a store's identity.
const sampled = 16

// identity tells whether a store has changed: it holds some of its objects, as they
// were when the store was opened. It is safe for concurrent use.
type identity struct {
	store *store.Store

	mu     sync.Mutex
	files  []file // files that were added last are at the end
	sorted bool   // files are sorted by their keys, without repetition
	shown  bool   // known has returned files, so the elements must not change any more
}

// file is an object or a missing chunk. Of a missing chunk, only the key is known. There
// may be many files, so a file has no URL: the key tells it.
type file struct {
	key     string
	size    int64
	seconds int64 // of the time of the last change, since 1970
	etag    string
	nanos   int32 // of the time of the last change, beyond seconds
	absent  bool
}

// objectURL returns the URL of an object, without the parameters of its store.
func objectURL(s *store.Store, key string) string {
	if s.Local() {
		base := strings.TrimPrefix(s.URL(), "file://")
		return filepath.Join(base, filepath.FromSlash(key))
	}
	base, _, _ := strings.Cut(s.URL(), "?")
	return base + "/" + (&url.URL{Path: key}).EscapedPath()
}

// completeness remembers the arrays whose objects are all stored. It is safe for concurrent
// use.
type completeness struct {
	mu    sync.Mutex
	known map[string]bool // by path
}

// objects calls f for each object of an array's chunks that the store lists. It calls f also for a link that leads nowhere,
// because such a chunk is not one that was never written. It returns
// the first error of f unchanged.
func (a *array) objects(ctx context.Context, f func(index []int, o store.Info) error) error {
	folder := a.path + "/"
	if a.path == "" {
		folder = ""
	}
	// The prefix of all keys, up to the first number.
	common, _, _ := strings.Cut(a.chunkKey(make([]int, len(a.grid.Shape))), "0")
	counts := a.grid.Count()
	return a.source.store.ListWithLinks(ctx, folder+common, func(o store.Info) error {
		index, ok := a.keys.Parse(strings.TrimPrefix(o.Key, folder))
		ok = ok && len(index) == len(counts)
		if a.n5 != nil {
			slices.Reverse(index)
		}
		for k := 0; ok && k < len(counts); k++ {
			ok = index[k] < counts[k]
		}
		if !ok {
			return nil
		}
		return f(index, o)
	})
}

// newNode returns the node of a v3 document. A document without a valid type of node
// counts as an array, so that opening it reports the error.
func newNode(text []byte) *node {
	kind, err := zarr.NodeType(text)
	n := &node{format: dtype.V3, array: kind != "group", documents: &documents{text: zarr.Plain(text)}, err: err}
	if len(n.text) != len(text) { // the document has numbers of Python
		var fields struct {
			Attributes json.RawMessage `json:"attributes"`
		}
		_ = json.Unmarshal(text, &fields) // an error is reported when the node is opened
		n.python = zarr.MarkedFields(fields.Attributes)
	}
	return n
}

// newNodeN5 returns the node of a document of N5, which could not be read if err is not nil. A
// document without the fields of an array is that of a group.
func newNodeN5(text []byte, err error) *node {
	_, array := n5.Is(text)
	return &node{format: dtype.V2, n5: true, array: array || err != nil, err: err, documents: &documents{text: zarr.Plain(text), python: zarr.MarkedFields(text)}}
}

// nodeOf returns the path of the node to which a document belongs.
func nodeOf(key string) string {
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		return key[:i]
	}
	return ""
}

// texts remembers texts, because in v2 the arrays of a hierarchy mostly have equal
// documents. It is not safe for concurrent use.
type texts map[string][]byte

// shared returns text, or an equal text from before, so that both share memory.
func (t *texts) shared(text []byte) []byte {
	if known, ok := (*t)[string(text)]; ok {
		return known
	}
	if *t == nil || len(*t) == mostKinds {
		*t = texts{}
	}
	(*t)[string(text)] = text
	return text
}
