package zarr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/zarr"
)

// Options are the settings of Open. The zero value is usable.
type Options struct {
	Store  store.Options
	Codecs *codecs.Registry // known codecs, and with them the data types; nil: the standard ones
	// Drivers are the known formats, for the error about a file of another one; nil:
	// none.
	Drivers sources.Drivers
	// CF says, by the path of an array, what becomes of its packed values, whether they are
	// packed by attributes or by the codec fixedscaleoffset. nil: packed values are kept.
	// The attributes of v2 are kept then, too. Otherwise the attribute _FillValue of v2
	// arrays is set to what marks missing data in v3.
	CF func(path string) cf.Mode
	// Kept says, by the path of an array and the data type that its readers see,
	// whether the target keeps its codecs. The source then leaves out scale_offset and
	// cast_value in front, and reports them in Info.Packing. nil: elements are the
	// values that readers see.
	Kept func(path string, t dtype.Type) bool
	// AllChunks makes a missing chunk an error that wraps ErrMissingChunk; otherwise
	// the chunk holds the fill value. An array cannot be opened if a chunk is missing.
	// Inner chunks of shards may be missing.
	AllChunks bool
}

// ErrMissingChunk is the cause of an error about a missing chunk.
var ErrMissingChunk = errors.New("the chunk is not there, and missing_chunks: error wants every one")

// keptBuffers bounds the memory of buffers that are kept for later chunks.
const keptBuffers = 32 << 20

// Open opens the hierarchy, or the array, at a URL. The caller closes the source. The error
// about a place without any Zarr metadata wraps [zarr.ErrNotZarr].
func Open(ctx context.Context, url string, opt Options) (sources.Source, error) {
	return open(ctx, url, opt, &ndarray.Pool{Keep: keptBuffers}, keptIndexes)
}

// OpenAll opens several hierarchies and combines them. They share the bounds of the
// memory that is kept.
func OpenAll(ctx context.Context, urls []string, opt Options, how combine.Options) (sources.Source, error) {
	pool := &ndarray.Pool{Keep: keptBuffers}
	return combine.OpenAll(ctx, urls, func(ctx context.Context, url string) (sources.Source, error) {
		return open(ctx, url, opt, pool, keptIndexes/len(urls))
	}, how)
}

// open is Open with the pool to use, and with a bound of the memory for opened chunks.
func open(ctx context.Context, url string, opt Options, pool *ndarray.Pool, indexes int) (sources.Source, error) {
	if opt.Store.Limits == nil { // the caller shares no request budget
		opt.Store.Limits = limits.New(0)
	}
	st, err := store.Open(ctx, url, opt.Store)
	if err != nil {
		return nil, err
	}
	s := &source{store: st, codecs: opt.Codecs, cf: opt.CF, kept: opt.Kept, allChunks: opt.AllChunks}
	if s.codecs == nil {
		s.codecs = standard.Registry(dtype.Standard())
	}
	s.types = s.codecs.Types()
	s.chains = codecs.NewChains(s.codecs)
	s.files.store = st
	s.presence.store = st
	s.opened = newOpened(&s.presence)
	s.opened.limit, s.pool = indexes, pool
	if err := s.readTree(ctx); err != nil {
		return nil, errors.Join(cmp.Or(notAFile(ctx, url, opt), err), st.Close())
	}
	s.chosen = s.choosesFills()
	return s, nil
}

// source implements [sources.Source].
type source struct {
	store     *store.Store
	types     *dtype.Registry
	codecs    *codecs.Registry
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
	chosen    bool // choosesFills, computed before the arrays drop their documents
}

// node is a group or an array, by its document.
type node struct {
	array  bool
	format dtype.Format
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

func (s *source) Groups() []sources.Group       { return s.groups }
func (s *source) Arrays() []string              { return s.arrays }
func (s *source) Files() iter.Seq[sources.File] { return s.files.all() }
func (s *source) Close() error                  { return s.store.Close() }

// Changed implements [sources.Source].
func (s *source) Changed(ctx context.Context) error {
	if err := s.files.changed(ctx); err != nil {
		return err
	}
	return s.versions.changed(ctx)
}

// settle sorts the nodes into groups and arrays. The paths imply groups that have no
// document. Nodes below an array are dropped. Nodes below an unreadable node show that
// it is a group.
func (s *source) settle() {
	marked := map[string]bool{} // paths whose parents have been added
	for p := range s.nodes {
		for above, more := zarr.Parent(p); more && !marked[above]; above, more = zarr.Parent(above) {
			marked[above] = true
			if n := s.nodes[above]; n != nil && n.err != nil {
				n.array = false
			}
		}
	}
	var groups []string
	within := map[string]bool{"": false} // whether a path is below an array, for the paths that are known
	for p, n := range s.nodes {
		switch {
		case s.belowArray(p, within):
		case n.array:
			s.arrays = append(s.arrays, p)
		default:
			groups = append(groups, p)
		}
	}
	slices.Sort(s.arrays)
	for _, p := range append(groups, zarr.Parents(s.arrays)...) {
		g := sources.Group{Path: p}
		if n := s.nodes[p]; n != nil && !n.array {
			g.Attributes, g.Err = n.parseGroup()
			g.Findings = n.findings()
			n.err = g.Err
		}
		s.groups = append(s.groups, g)
	}
	slices.SortFunc(s.groups, func(a, b sources.Group) int { return strings.Compare(a.Path, b.Path) })
	s.groups = slices.CompactFunc(s.groups, func(a, b sources.Group) bool { return a.Path == b.Path })
}

// belowArray tells whether an array is above a path. within remembers the answers, so
// that each path of a deep hierarchy is looked at once.
func (s *source) belowArray(p string, within map[string]bool) bool {
	var asked []string
	below, known := within[p]
	for !known {
		asked = append(asked, p)
		p, _ = zarr.Parent(p) // within has the root
		if n := s.nodes[p]; n != nil && n.array {
			below, known = true, true
		} else {
			below, known = within[p]
		}
	}
	for _, p := range asked {
		within[p] = below
	}
	return below
}

// Array opens an array: it parses the document and binds the codecs.
func (s *source) Array(ctx context.Context, name string) (sources.Array, error) {
	n := s.nodes[name]
	if _, listed := slices.BinarySearch(s.arrays, name); n == nil || !n.array || !listed {
		return nil, fmt.Errorf("%s: no array %q", s.store.URL(), name)
	}
	for above, more := zarr.Parent(name); more; above, more = zarr.Parent(above) {
		if g := s.nodes[above]; g != nil && g.err != nil {
			return nil, fmt.Errorf("%s: group %q: %w", s.store.URL(), above, g.err)
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.opened != nil {
		return n.opened, nil
	}
	a, err := s.describe(name, n)
	if err == nil {
		err = s.files.addChunks(ctx, a)
	}
	if err == nil && s.allChunks {
		err = s.complete.check(ctx, a)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: array %q: %w", s.store.URL(), name, err)
	}
	opened, err := s.packed(a, n.format)
	a.shorten()
	if err == nil {
		n.opened, n.documents = opened, nil
	}
	return opened, err
}
