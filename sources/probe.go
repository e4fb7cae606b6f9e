package sources

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// Confidence is how sure a driver is that it reads what is at a place.
type Confidence int

const (
	No       Confidence = iota
	Possible            // nothing speaks against it
	Likely              // the name says so
	Certain             // the content says so
)

// Signature is the first bytes of files of a format.
type Signature struct {
	Begins string // the first bytes, at most [Head]
	What   string // what such a file is, for people: "a NetCDF file"
}

// Probe looks at a location, so that drivers can tell whether they read what is there. It
// remembers the first bytes of the file, because most drivers ask for them. After the
// server has failed, it makes no more requests, so that drivers do not wait for the server
// one after the other. It is not safe for concurrent use.
type Probe struct {
	URL string
	opt store.Options

	looked bool // whether the first bytes were asked for
	found  bool
	first  []byte
	// failure is the error of a server that failed, or of a place that this program cannot
	// open at all. All probes that At makes share it.
	failure *error
}

func newProbe(url string, opt store.Options) *Probe {
	return &Probe{URL: url, opt: opt, failure: new(error)}
}

// ok reports whether err is nil. If err shows that the server failed, ok keeps it.
func (p *Probe) ok(err error) bool {
	if _, unreachable := errors.AsType[*net.OpError](err); unreachable || limits.Passing(err) {
		*p.failure = err
	}
	return err == nil
}

// open opens the place as a folder. It returns nil if that fails. A folder that is not of this
// machine need not exist to be opened. If one cannot be opened, for instance without
// credentials, no driver can read what is there.
func (p *Probe) open(ctx context.Context) *store.Store {
	st, err := store.Open(ctx, p.URL, p.opt)
	if err != nil && !p.Local() {
		*p.failure = err
	}
	if !p.ok(err) {
		return nil
	}
	return st
}

// Name is the URL without its query and without slashes at its end.
func (p *Probe) Name() string {
	name, _, _ := strings.Cut(p.URL, "?")
	return strings.TrimRight(name, "/")
}

// Local reports whether the place is in the file system.
func (p *Probe) Local() bool { return store.Local(p.URL) }

// Beginning returns the first bytes of the file at the place, or of the first file that
// matches a glob, at most [Head]. It returns false if there is no file, for instance
// because the place is a folder.
func (p *Probe) Beginning(ctx context.Context) ([]byte, bool) {
	if !p.looked && *p.failure == nil {
		p.looked = true
		if urls, err := store.Glob(ctx, p.URL, p.opt); p.ok(err) {
			p.first, err = beginning(ctx, urls[0], Head, p.opt)
			p.found = p.ok(err)
		}
	}
	return p.first, p.found
}

// BeginningOf returns the first n bytes of the file at the place, or of the first file that
// matches a glob. It returns false if there is no file.
func (p *Probe) BeginningOf(ctx context.Context, n int) ([]byte, bool) {
	if _, found := p.Beginning(ctx); !found {
		return nil, false
	}
	urls, err := store.Glob(ctx, p.URL, p.opt)
	if !p.ok(err) {
		return nil, false
	}
	first, err := beginning(ctx, urls[0], n, p.opt)
	return first, p.ok(err)
}

// Begins reports whether the file at the place begins with one of these signatures.
func (p *Probe) Begins(ctx context.Context, with []Signature) bool {
	first, found := p.Beginning(ctx)
	return found && slices.ContainsFunc(with, func(s Signature) bool { return bytes.HasPrefix(first, []byte(s.Begins)) })
}

// Below returns the URLs of all files below the place that can be listed, in the natural
// order of their paths.
func (p *Probe) Below(ctx context.Context) []string {
	if *p.failure != nil {
		return nil
	}
	urls, err := store.Below(ctx, p.URL, p.opt)
	if !p.ok(err) {
		return nil
	}
	return urls
}

// At returns another place that is looked at in the same way.
func (p *Probe) At(url string) *Probe { return &Probe{URL: url, opt: p.opt, failure: p.failure} }

// Holds reports whether the folder at the place has a file with one of the given keys.
func (p *Probe) Holds(ctx context.Context, keys ...string) bool {
	if *p.failure != nil {
		return false
	}
	st := p.open(ctx)
	if st == nil {
		return false
	}
	defer st.Close() //nolint:errcheck // nothing was written
	return slices.ContainsFunc(keys, func(key string) bool {
		if *p.failure != nil {
			return false
		}
		_, err := st.Stat(ctx, key)
		return p.ok(err)
	})
}

// errEnough ends a listing.
var errEnough = errors.New("seen enough")

// IsFolder reports whether the place is a folder. In a store without folders, a place with
// an object below it counts as one. In a store that cannot be listed, every place may be a
// folder, so the result is true.
func (p *Probe) IsFolder(ctx context.Context) bool {
	if p.Local() {
		info, err := os.Stat(store.Resolved(p.URL))
		return err == nil && info.IsDir()
	}
	if *p.failure != nil {
		return false
	}
	st := p.open(ctx)
	if st == nil {
		return false
	}
	defer st.Close() //nolint:errcheck // nothing was written
	err := st.List(ctx, "", func(store.Info) error { return errEnough })
	p.ok(err)
	return errors.Is(err, errEnough) || errors.Is(err, store.ErrNoList)
}

// Head is how many bytes of a file tell its format.
const Head = 16

// Beginning returns the first bytes of the file at a URL, at most [Head]. It returns false
// if there is no file at the URL, for instance if there is a folder.
func Beginning(ctx context.Context, url string, opt store.Options) ([]byte, bool) {
	return BeginningOf(ctx, url, Head, opt)
}

// BeginningOf returns the first n bytes of the file at a URL, or fewer if the file ends. It
// returns false if there is no file.
func BeginningOf(ctx context.Context, url string, n int, opt store.Options) ([]byte, bool) {
	first, err := beginning(ctx, url, n, opt)
	return first, err == nil
}

func beginning(ctx context.Context, url string, n int, opt store.Options) ([]byte, error) {
	folder, key, err := store.Split(url)
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, folder, opt)
	if err != nil {
		return nil, err
	}
	defer s.Close() //nolint:errcheck // nothing was written
	info, err := s.Stat(ctx, key)
	if err != nil {
		return nil, err
	}
	first := make([]byte, min(info.Size, int64(n)))
	return first, s.ReadRange(ctx, key, first, 0)
}
