package sources

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// open opens the place as a folder. It returns nil if that fails. A place that this program
// cannot open at all, such as a bucket of a provider that was left out, has no driver.
func (p *Probe) open(ctx context.Context) *store.Store {
	st, err := store.Open(ctx, p.URL, p.opt)
	if !p.Local() && errors.Is(err, errors.ErrUnsupported) {
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
			p.first, err = beginning(ctx, urls[0], p.opt)
			p.found = p.ok(err)
		}
	}
	return p.first, p.found
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

// Detect returns the driver that is most sure to read what is at a location, and how sure
// it is. Drivers are asked from the last of the list to the first, and the first driver
// that is certain is taken. If several drivers are equally sure, the last of the list is
// taken, so a driver that a program has added comes first.
//
// If no driver is found, the error names the drivers that were asked. If the server
// failed, the error is the server's. Then Detect may also return a driver, which is only a
// guess.
func (l Drivers) Detect(ctx context.Context, url string, opt store.Options) (*Driver, Confidence, error) {
	p := newProbe(url, opt)
	best, sure := (*Driver)(nil), No
	for i := range slices.Backward(l) {
		if c := l[i].detect(ctx, p); c > sure {
			best, sure = &l[i], c
		}
		if sure == Certain {
			break
		}
	}
	if best == nil && *p.failure == nil {
		return nil, No, l.unknown(ctx, p)
	}
	return best, sure, *p.failure
}

// Open detects the format of what is at a URL, and opens it. It sets the fields URLs, From
// and Drivers of r; the other fields are the caller's. The caller closes the source.
func (l Drivers) Open(ctx context.Context, url string, r Request) (Source, error) {
	if r.Store.Limits == nil {
		r.Store.Limits = limits.New(0)
	}
	driver, sure, err := l.Detect(ctx, url, r.Store)
	if err != nil {
		return nil, err
	}
	if r.URLs, err = driver.Resolve(ctx, url, r.Store); err != nil {
		return nil, err
	}
	r.From, r.Drivers = slices.Repeat([]string{url}, len(r.URLs)), l
	source, err := driver.Open(ctx, r)
	if err != nil && sure < Certain {
		return nil, fmt.Errorf("none of the drivers %s reads it: %w", l.Detecting(), err)
	}
	return source, err
}

// detect is how sure a driver is, by its own look at a place and by its signatures.
func (d *Driver) detect(ctx context.Context, p *Probe) Confidence {
	sure := No
	if d.Detect != nil {
		sure = d.Detect(ctx, p)
	}
	if sure < Certain && len(d.Signatures) > 0 && p.Begins(ctx, d.Signatures) {
		return Certain
	}
	return sure
}

// Detecting lists the names of the drivers that recognise their files, for messages.
func (l Drivers) Detecting() string {
	var names []string
	for _, d := range l {
		if d.Detect != nil || len(d.Signatures) > 0 {
			names = append(names, d.Name)
		}
	}
	return strings.Join(names, ", ")
}

// unknown is the error about a place that no driver reads.
func (l Drivers) unknown(ctx context.Context, p *Probe) error {
	what := "there is no file"
	if first, found := p.Beginning(ctx); found {
		what = l.WhatIs(first)
	}
	return fmt.Errorf("%s: none of the drivers %s reads it: %s", store.Shown(p.URL), l.Detecting(), what)
}
