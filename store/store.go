// Package store opens the places that URLs name: a local directory, memory, a bucket of
// S3, Google Cloud Storage or Azure, a plain HTTP server, or a zip archive. Packages
// sources, sinks and jobs open places by themselves. A program needs this package if it
// adds a format, shares memory or a request budget between places, or reads the counts of
// requests.
package store

import (
	"context"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

type (
	// Store is an open place: a folder of objects, each a key and its bytes.
	Store = store.Store
	// Options are the settings of a Store. The zero value is usable for local places; a
	// place behind a network needs Limits.
	Options = store.Options
	// Info describes an object: its key, size, time and version.
	Info = store.Info
	// Writer stores an object in pieces.
	Writer = store.Writer
	// Memory holds the buckets that mem:// URLs name. Places that share them have one
	// Memory.
	Memory = store.Memory
	// Limits is a request budget, which several places may share.
	Limits = limits.Limits
	// Traffic counts requests to servers.
	Traffic = limits.Traffic
)

// Open opens the folder that a URL names; it need not exist. Open writes nothing.
func Open(ctx context.Context, url string, opt Options) (*Store, error) {
	return store.Open(ctx, url, opt)
}

// NewLimits returns a budget of perSecond requests a second to servers; 0: as many as the
// servers take.
func NewLimits(perSecond float64) *Limits { return limits.New(perSecond) }
