package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store/location"
)

// Places compares and resolves the URLs of many objects. It remembers the folders that
// it has resolved lately, so that the next object in such a folder costs a single look at the
// disk. The zero value is ready. A Places serves one goroutine, and for a short time: it
// does not notice when a link is changed.
type Places struct {
	folders map[string]string // local folders, links resolved, by absolute path
}

// mostFolders bounds the folders that are remembered.
const mostFolders = 1024

// Place is what a URL names, to be compared with others. The zero value is the place of a
// URL that cannot be parsed.
type Place struct {
	at    location.Location // with the resolved path if it is local
	known bool
}

// Place returns the place that a URL names. Relative paths, links and file:// are
// resolved, so that a place is found the same however its URL is spelled.
func (p *Places) Place(url string) Place {
	at, err := location.Parse(url)
	if err != nil {
		return Place{}
	}
	if at.Local() {
		at.Path = p.resolved(at.Path)
	}
	return Place{at, true}
}

// IsPath reports whether a place is local and a text is its absolute path without links.
func (a Place) IsPath(text string) bool { return a.known && a.at.Local() && a.at.Path == text }

// Inside tells whether a place is the folder, or something below it. Remote places must
// have the same server, too. The place of a URL that cannot be parsed is inside no folder.
func (a Place) Inside(folder Place) bool {
	inner, outer := a.at, folder.at
	if !a.known || !folder.known || inner.Local() != outer.Local() {
		return false
	}
	if inner.Local() {
		return below(inner.Path, outer.Path, string(filepath.Separator))
	}
	for _, name := range []string{"endpoint", "storage_account", "domain"} {
		if inner.Query.Get(name) != outer.Query.Get(name) {
			return false
		}
	}
	return inner.Scheme == outer.Scheme && inner.Host == outer.Host && below(inner.Path, outer.Path, "/")
}

// Inside tells whether a URL names the folder, or something below it, see [Place.Inside].
func Inside(url, folder string) bool {
	var p Places
	return p.Place(url).Inside(p.Place(folder))
}

// Resolved returns the one spelling of the URL of a place. A local place becomes an
// absolute path without links. A remote URL stays, except that a digest takes the place
// of an HTTP query, see [Store.Query]. A URL that cannot be parsed stays.
func (p *Places) Resolved(url string) string {
	at, err := location.Parse(url)
	switch {
	case err != nil:
		return url
	case at.Local():
		return p.resolved(at.Path)
	}
	if digest := at.Digest(); digest != "" {
		return at.String() + "?" + digest
	}
	return at.String()
}

// Resolved is [Places.Resolved] for a single URL.
func Resolved(url string) string { return new(Places).Resolved(url) }

func below(inner, outer, separator string) bool {
	return inner == outer || outer == "" || strings.HasPrefix(inner, strings.TrimSuffix(outer, separator)+separator)
}

// resolved returns an absolute path without links, as far as the path exists. Without a
// working directory, a relative path stays.
func (p *Places) resolved(name string) string {
	absolute, err := location.Absolute(name)
	if err != nil {
		return name
	}
	return p.real(absolute, false)
}

// real is resolved for a path that is absolute and clean. It remembers the result for a
// folder.
func (p *Places) real(name string, folder bool) string {
	if known, ok := p.folders[name]; ok {
		return known
	}
	parent := filepath.Dir(name)
	if parent == name {
		return name
	}
	at := filepath.Join(p.real(parent, true), filepath.Base(name))
	// Windows has names of several spellings, which only EvalSymlinks brings to one.
	if st, err := os.Lstat(at); err == nil && (st.Mode()&fs.ModeSymlink != 0 || runtime.GOOS == "windows") {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real
		}
	}
	if folder {
		if p.folders == nil || len(p.folders) == mostFolders {
			p.folders = map[string]string{}
		}
		p.folders[name] = at
	}
	return at
}
