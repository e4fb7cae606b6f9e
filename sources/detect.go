package sources

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

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
