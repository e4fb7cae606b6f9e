package store

import (
	"path/filepath"
	"strings"
)

// Inside tells whether a URL is that of a folder or of what lies below it,
// however both are spelled: relative paths, links and file:// are resolved, and
// of remote places the servers are compared, too. What cannot be parsed lies
// nowhere.
func Inside(url, folder string) bool {
	inner, err := parse(url)
	if err != nil {
		return false
	}
	outer, err := parse(folder)
	if err != nil || inner.local() != outer.local() {
		return false
	}
	if inner.local() {
		return below(resolved(inner.path), resolved(outer.path), string(filepath.Separator))
	}
	for _, name := range []string{"endpoint", "storage_account", "domain"} {
		if inner.query.Get(name) != outer.query.Get(name) {
			return false
		}
	}
	return inner.scheme == outer.scheme && inner.host == outer.host && below(inner.path, outer.path, "/")
}

// Resolved spells the URL of one place in one way: a local one as an absolute path
// without links, a remote one as it is but for the query of HTTP, of which a digest
// stands for what is no signature. What cannot be parsed stays.
func Resolved(url string) string {
	at, err := parse(url)
	switch {
	case err != nil:
		return url
	case at.local():
		return resolved(at.path)
	}
	if digest := at.digest(); digest != "" {
		return at.String() + "?" + digest
	}
	return at.String()
}

func below(inner, outer, separator string) bool {
	return inner == outer || outer == "" || strings.HasPrefix(inner, strings.TrimSuffix(outer, separator)+separator)
}

// resolved is an absolute path without links, as far as it exists.
func resolved(p string) string {
	p, err := absolute(p)
	if err != nil {
		return p
	}
	for missing := ""; ; {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(real, missing)
		}
		parent := filepath.Dir(p)
		if parent == p {
			return filepath.Join(p, missing)
		}
		p, missing = parent, filepath.Join(filepath.Base(p), missing)
	}
}
