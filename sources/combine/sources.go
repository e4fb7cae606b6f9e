package combine

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"strings"
	"sync"

	"github.com/zmigrate/zmigrate/sources"
)

// OpenAll makes one source of several sources, as [Open] does. Each of them is opened by
// its URL, and has files of its own. Closing the result closes all of them.
func OpenAll(ctx context.Context, urls []string, open func(ctx context.Context, url string) (sources.Source, error), how Options) (sources.Source, error) {
	all := &together{sources: make([]sources.Source, len(urls))}
	names := make([]string, len(urls))
	for i, u := range urls {
		names[i] = plainURL(u)
	}
	return Open(ctx, Members{
		Names: names, Origin: all,
		Open: func(ctx context.Context, i int) (sources.Hierarchy, error) {
			s, err := open(ctx, urls[i])
			if err != nil {
				return nil, err
			}
			all.mu.Lock()
			defer all.mu.Unlock()
			all.sources[i] = s
			return s, nil
		},
	}, how)
}

// plainURL is a URL without what may be a secret.
func plainURL(raw string) string {
	name, _, _ := strings.Cut(raw, "?")
	if u, err := url.Parse(name); err == nil && u.User != nil {
		u.User = nil
		return u.String()
	}
	return name
}

// together is the [Origin] of several sources.
type together struct {
	mu      sync.Mutex       // guards sources while they are opened
	sources []sources.Source // nil: one that is not opened
}

func (t *together) Files() iter.Seq[sources.File] {
	return func(yield func(sources.File) bool) {
		for _, s := range t.sources {
			for f := range s.Files() {
				if !yield(f) {
					return
				}
			}
		}
	}
}

func (t *together) Changed(ctx context.Context) error {
	return sources.InParallel(ctx, len(t.sources), func(ctx context.Context, i int) error { return t.sources[i].Changed(ctx) })
}

func (t *together) Close() error {
	var errs []error
	for _, s := range t.sources {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}
