package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/http"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/local"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/memory"
	"github.com/zmigrate/zmigrate/internal/store/zip"
)

// Memory holds the buckets that mem:// URLs name.
type Memory = memory.Memory

// Options are the settings of a Store. The zero value is usable for places that are not
// behind a network.
type Options struct {
	// Log receives a line for each retry; nil discards the lines.
	Log *slog.Logger
	// Retries is the number of attempts after the first one for a request that
	// fails with transient errors. 0 means 3, a negative number none.
	Retries int
	// Limits is the request budget that the store's requests count against. All stores
	// that are opened with the same Limits share it. A place behind a network needs one:
	// Open refuses nil. Requests to other places count against nothing if it is nil, and
	// those to a local directory never do.
	Limits *limits.Limits
	// Clients has the clients of buckets and servers that stores share. With nil, each store
	// has a client of its own.
	Clients *Clients
	// Sleep is meant for tests: it takes the place of waiting between attempts.
	// It returns early with the error of a context that ends.
	Sleep func(ctx context.Context, d time.Duration) error
	// Parts is how many parts of a Writer's object may be in memory at the same
	// time if the server takes parts in any order: one that is being filled,
	// and others that are being sent. 0 is 1: each part is sent before the next one is
	// filled.
	Parts int
	// PastCache makes reads of a local directory come from the disk. Files that are in the
	// memory of the system are dropped from there before they are read, where the system can
	// do that: on Linux.
	PastCache bool
	// Staging is the folder in which a local store keeps objects that are not
	// yet durable; "" means "<path>.zmigrate/staging". It is made with the
	// first object. Clean empties it, even if other processes use it.
	Staging string
	// Memory holds the buckets that mem:// URLs name. With nil every Open gets
	// an empty bucket of its own.
	Memory *Memory
	// Fault is meant for tests. It is called before each operation of a driver. If it
	// returns an error, the operation fails with that error. The operations are "put",
	// "create", "sync" (without a key), "read", "stat", "list" (for each page), "head",
	// "delete" and "clean". Those of a Writer are "open" (with the first part), "write"
	// (for each part), "close" and "abort", or a single "put" for an object that fits
	// into one part. Fault must be safe for concurrent use.
	Fault func(op, key string) error
}

// errNoBudget reports that Open was called without saying which request budget counts.
var errNoBudget = errors.New("no request budget: a place behind a network needs Options.Limits")

// absolute reads the URL of a place that is to be opened. Local paths become absolute.
func absolute(url string) (location.Location, error) {
	at, err := location.Parse(url)
	if err != nil || !at.Local() {
		return at, err
	}
	if at.Path, err = location.Absolute(at.Path); err != nil {
		return at, fmt.Errorf("open %s: %w", at, err)
	}
	return at, nil
}

// Open opens the folder that url names; it need not exist. Open writes nothing. If a
// part of the path is the name of a zip archive, the folder is in that archive, and Open
// reads the archive's directory.
func Open(ctx context.Context, url string, opt Options) (*Store, error) {
	at, err := absolute(url)
	if err != nil {
		return nil, err
	}
	if opt.Limits == nil && at.Far() {
		return nil, fmt.Errorf("open %s: %w", at, errNoBudget)
	}
	s := newStore(at, opt)
	if folder, name, inside, ok := zip.In(at); ok {
		archives, err := newDriver(ctx, folder, opt)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", at, err)
		}
		z, err := zip.Open(ctx, archives, !at.Far(), name, inside, s.requests)
		if err == nil {
			s.driver = z
			return s, nil
		}
		if err = errors.Join(err, archives.Close()); !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if s.driver, err = newDriver(ctx, at, opt); err != nil {
		return nil, fmt.Errorf("open %s: %w", at, err)
	}
	return s, nil
}

// newStore returns a store without a driver.
func newStore(at location.Location, opt Options) *Store {
	s := &Store{at: at, parts: opt.Parts, log: opt.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.requests = &limits.Requests{
		At: at, Limits: opt.Limits, Attempts: 1 + opt.Retries, Patience: limits.AttemptTime,
		Sleep: opt.Sleep, Fault: opt.Fault, Log: s.log,
	}
	if s.requests.Limits == nil || at.Local() {
		s.requests.Limits = limits.New(0)
	}
	if s.requests.Sleep == nil {
		s.requests.Sleep = limits.Sleep
	}
	if opt.Retries == 0 {
		s.requests.Attempts = 4
	}
	return s
}

// newDriver returns the driver of a location. A local path must be absolute.
func newDriver(ctx context.Context, at location.Location, opt Options) (driver.Driver, error) {
	switch at.Scheme {
	case "mem":
		return memory.New(at, opt.Memory), nil
	case "s3", "gs", "azblob":
		return opt.Clients.bucket(ctx, at)
	case "http", "https":
		return http.New(at, opt.Limits, opt.Clients.web()), nil
	default:
		d := local.New(at.Path, opt.Staging)
		if opt.PastCache {
			d.ReadPastCache()
		}
		return d, nil
	}
}

// PartBytes is the size of the first parts of an upload to a bucket.
const PartBytes = bucket.PartBytes

// Writable returns an error if the URL alone tells that nothing can be written to the
// folder. The URL of a zip archive is an error even if there is no such archive.
func Writable(url string) error {
	l, err := location.Parse(url)
	switch {
	case err != nil:
		return nil // Open reports it
	case strings.HasSuffix(l.Path, ".zip"):
		return zip.Kind.Refuse()
	case l.Scheme == "http" || l.Scheme == "https":
		return http.Kind.Refuse()
	}
	return nil
}

// WriterBytes returns the memory in bytes that a Writer takes for an object of at most
// size bytes. The store is that of a URL, opened with parts as Options.Parts. The memory
// holds all parts that are in memory at the same time. Parts of an object above 8 GB grow,
// and the memory holds at least one of the last parts. The result is 0 for a URL that
// cannot be opened.
func WriterBytes(url string, parts, size int) int {
	at, err := location.Parse(url)
	if err != nil {
		return 0
	}
	switch at.Scheme {
	case "s3", "azblob":
		return bucket.PartBytes * min(max(parts, 1), 1+max(size-1, 0)/bucket.PartBytes)
	case "gs":
		return bucket.PartBytes
	default:
		return (*local.Driver)(nil).PartSize(0) // and memory's is the same
	}
}
