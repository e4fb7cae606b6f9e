package zarr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/combine"
	"github.com/zmigrate/zmigrate/sources/zarr/internal/filters"
	"github.com/zmigrate/zmigrate/zarr"
)

// keptBuffers bounds the memory of buffers that are kept for later chunks.
const keptBuffers = 32 << 20

// Open opens the hierarchy, or the array, at a URL. The caller closes the source. The error
// about a place without any Zarr metadata wraps [zarr.ErrNotZarr].
func Open(ctx context.Context, url string, opt Options) (sources.Source, error) {
	return open(ctx, url, opt, &ndarray.Pool{Keep: keptBuffers}, 1)
}

// OpenAll opens several hierarchies and combines them. They share the bounds of the
// memory that is kept.
func OpenAll(ctx context.Context, urls []string, opt Options, how combine.Options) (sources.Source, error) {
	pool := &ndarray.Pool{Keep: keptBuffers}
	return combine.OpenAll(ctx, urls, func(ctx context.Context, url string) (sources.Source, error) {
		return open(ctx, url, opt, pool, len(urls))
	}, how)
}

// open is Open with the pool to use. The source is one of many, which share the bounds of the
// memory that is kept.
func open(ctx context.Context, url string, opt Options, pool *ndarray.Pool, many int) (sources.Source, error) {
	if opt.Store.Limits == nil { // the caller shares no request budget
		opt.Store.Limits = limits.New(0)
	}
	var clients *store.Clients
	if opt.Store.Clients == nil {
		clients = &store.Clients{}
		opt.Store.Clients = clients
	}
	s := &source{url: url, options: opt, many: many, clients: clients, codecs: opt.Codecs, cf: opt.CF, kept: opt.Kept, allChunks: opt.AllChunks}
	if s.codecs == nil {
		s.codecs = standard.Registry(dtype.Standard())
	}
	s.types = s.codecs.Types()
	s.decoders = filters.Registry(s.codecs)
	s.chains = codecs.NewChains(s.decoders)
	s.opened = newOpened(&s.presence)
	s.opened.limit, s.pool = keptIndexes/many, pool
	if err := s.openStore(ctx); err != nil {
		clients.Close()
		return nil, err
	}
	if err := s.readTree(ctx); err != nil {
		return nil, errors.Join(cmp.Or(s.notAFile(ctx), err), s.Close())
	}
	if opt.NGFF {
		s.convertImages()
	}
	s.chosen = s.choosesFills()
	return s, nil
}

func (s *source) Groups() []sources.Group { return s.groups }
func (s *source) Arrays() []string        { return s.arrays }

// Files implements [sources.Source].
func (s *source) Files() iter.Seq[sources.File] {
	if s.referred != nil {
		return s.referred.all()
	}
	return s.files.all()
}

// Close implements [sources.Source].
func (s *source) Close() error {
	defer s.clients.Close()
	if s.referred != nil {
		return errors.Join(s.store.Close(), s.referred.close())
	}
	return s.store.Close()
}

// openStore opens the place of the hierarchy: a table of references if there is one, or else a
// folder.
func (s *source) openStore(ctx context.Context) error {
	if table, inside, named := jsonTable(s.url); named && isTable(ctx, table, s.options) {
		return s.referToJSON(ctx, table, inside)
	}
	if store.Local(s.url) && isTable(ctx, s.url, s.options) {
		return s.referToJSON(ctx, s.url, "") // whatever its name is
	}
	st, err := store.Open(ctx, s.url, s.options.Store)
	if err == nil {
		s.setStore(st)
	}
	return err
}

// Changed implements [sources.Source].
func (s *source) Changed(ctx context.Context) error {
	if s.referred != nil {
		return s.referred.changed(ctx)
	}
	if err := s.files.changed(ctx); err != nil {
		return err
	}
	return s.versions.changed(ctx)
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
	if err == nil && s.referred != nil {
		err = s.referred.check(ctx, name)
	} else if err == nil {
		err = s.files.addChunks(ctx, a)
	}
	if err == nil && s.allChunks {
		err = s.complete.check(ctx, a)
	}
	if err != nil {
		return nil, &sources.ArrayError{Source: s.store.URL(), Path: name, Err: err}
	}
	opened, err := s.packed(a, n.format)
	a.shorten()
	if err == nil {
		n.opened, n.documents = opened, nil
	}
	return opened, err
}
