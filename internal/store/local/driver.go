package local

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// innerStaging is the staging folder inside the root. It is used if the folder beside
// the root cannot be written, or is on another file system.
const innerStaging = ".zmigrate-staging"

// stagedPrefix begins the names of all files in staging folders.
const stagedPrefix = "object-"

// Driver is the driver of a directory.
//
// A put writes a file in the staging folder. The file waits in pending. publish
// flushes the waiting files, renames them to their keys and flushes the
// directories. Whoever changes the tree of objects holds the token tree, so that a
// directory is never removed during a rename into it.
type Driver struct {
	root   string // absolute
	prefix string // of the names of this store's files in the staging folder
	files  *openFiles
	limits fileLimits
	tree   chan struct{} // holds one token; taken by whoever changes the tree
	links  linkChecker   // folders below root, for whoever has the token

	mu       sync.Mutex
	staging  string // where new files are made
	own      string // the parent of staging, to be removed with it, or ""
	ready    bool   // staging exists, and files can be renamed from there to root
	made     int    // number of the last file made in staging
	pending  map[string]staged
	unsynced map[string]bool // directories with changes not yet flushed
	lost     error           // error of the first publish that failed
}

// New returns the driver of the directory root, an absolute path. staging is the staging
// folder, relative to root or absolute; "" means "<root>.zmigrate/staging". New touches no
// file.
func New(root, staging string) *Driver {
	limits := fileLimitsOf(limits.ShareOfDescriptors())
	d := &Driver{
		limits:   limits,
		root:     root,
		prefix:   fmt.Sprintf("%s%016x-", stagedPrefix, rand.Uint64()),
		files:    newOpenFiles(limits.cached),
		tree:     make(chan struct{}, 1),
		staging:  staging,
		pending:  make(map[string]staged),
		unsynced: make(map[string]bool),
		links:    linkChecker{root: root, known: make(map[string]bool)},
	}
	if staging == "" {
		d.own = root + ".zmigrate"
		d.staging = filepath.Join(d.own, "staging")
	} else if !filepath.IsAbs(staging) {
		d.staging = filepath.Join(root, staging)
	}
	d.tree <- struct{}{}
	return d
}

// lock takes the token of the tree.
func (d *Driver) lock(ctx context.Context) error {
	select {
	case <-d.tree:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Driver) unlock() { d.tree <- struct{}{} }

func (d *Driver) path(key string) string { return filepath.Join(d.root, filepath.FromSlash(key)) }

// staged is an object that waits to be published: a written, still open file in the
// staging folder.
type staged struct {
	f    *os.File
	size int64
}

// discard closes and removes the file. It ignores errors: Clean removes a file that
// stays.
func (w staged) discard() {
	_ = w.f.Close()
	_ = os.Remove(w.f.Name())
}

// version returns the version of the written file. Renaming does not change it.
func (w staged) version() (string, error) {
	st, err := w.f.Stat()
	if err != nil {
		return "", err
	}
	return driver.FileVersion(st.ModTime()), nil
}
