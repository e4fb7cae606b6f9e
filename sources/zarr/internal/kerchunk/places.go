package kerchunk

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/zmigrate/zmigrate/internal/store"
)

// ErrOutside is the cause of an error about a reference to a file that the table must not refer
// to.
var ErrOutside = errors.New("the file is outside of the places that references may lead to")

// Places says to which files a table may refer.
//
// A table on this machine may refer to the files in its own folder, to those in Follow, and to
// all files behind a network. Links are resolved before a path is judged. A table behind a
// network may refer to all files behind a network, and to no file of this machine, whatever
// Follow says: who wrote such a table must not choose what is read here. A table in memory may
// also refer to what is in memory.
//
// It is safe for concurrent use.
type Places struct {
	// Table is the URL of the table.
	Table string
	// Nothing: the table must not refer to any file.
	Nothing bool
	// Follow are further folders and files of this machine. The query of a remote URL in Follow
	// is that of each file below that URL: so references to a bucket get an endpoint, a region or
	// anonymous=true.
	Follow []string

	mu     sync.Mutex
	places store.Places
}

// URL returns the URL of a file that a table names. Its error wraps ErrOutside if the table must
// not refer to the file.
func (p *Places) URL(name string) (string, error) {
	at, err := plain(name)
	if err != nil {
		return "", err
	}
	if isPath := !strings.Contains(at, "://"); isPath && store.Local(p.Table) {
		if at, err = store.Join(filepath.Dir(localPath(p.Table)), at); err != nil {
			return "", err
		}
	} else if isPath && !filepath.IsAbs(at) && !strings.HasPrefix(at, "/") {
		folder, _, err := store.Split(p.Table)
		if err != nil {
			return "", err
		}
		if at, err = store.Folder(folder, at); err != nil {
			return "", err
		}
	}
	if err := store.CheckURL(at); err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.Nothing:
		return "", fmt.Errorf("%s: %w: source.follow: none allows no file", store.Shown(at), ErrOutside)
	case store.Local(at):
		return at, p.judge(at)
	case !store.Far(at) && (store.Far(p.Table) || store.Local(p.Table)):
		return "", fmt.Errorf("%s: %w", at, ErrOutside)
	}
	return p.withQuery(at), nil
}

func localPath(url string) string {
	path, _ := store.LocalPath(url)
	return path
}

// judge refuses a file of this machine that the table must not refer to.
func (p *Places) judge(file string) error {
	if !store.Local(p.Table) {
		return fmt.Errorf("%s: %w: a table that is not on this machine must not refer to files of this machine", file, ErrOutside)
	}
	place := p.places.Place(file)
	for _, folder := range append([]string{filepath.Dir(localPath(p.Table))}, p.Follow...) {
		if store.Local(folder) && place.Inside(p.places.Place(folder)) {
			return nil
		}
	}
	return fmt.Errorf("%s: %w: name its folder in source.follow if the table may be trusted", file, ErrOutside)
}

// withQuery adds the query of Follow, or of the table's own URL if it is in the same bucket.
func (p *Places) withQuery(file string) string {
	if strings.Contains(file, "?") {
		return file
	}
	place := func(u string) store.Place { return p.places.Place(u) }
	for _, folder := range p.Follow {
		if _, query, found := strings.Cut(folder, "?"); found && place(file+"?"+query).Inside(place(folder)) {
			return file + "?" + query
		}
	}
	table, err := url.Parse(p.Table)
	of, err2 := url.Parse(file)
	if err == nil && err2 == nil && table.RawQuery != "" && table.Scheme == of.Scheme && table.Host == of.Host && !strings.HasPrefix(of.Scheme, "http") {
		return file + "?" + table.RawQuery
	}
	return file
}

// plain returns the path or the URL of a file that a program with fsspec has named. Such a
// program percent-encodes names in HTTP URLs only.
func plain(name string) (string, error) {
	if name == "" {
		return "", errors.New("a reference without a URL")
	}
	if strings.Contains(name, "::") {
		return "", fmt.Errorf("%.80s: a URL within another one (::): %w", name, errors.ErrUnsupported)
	}
	scheme, rest, found := strings.Cut(name, "://")
	if !found {
		return strings.TrimPrefix(name, "file:"), nil
	}
	switch scheme = strings.ToLower(scheme); scheme {
	case "file", "local":
		rest = strings.TrimPrefix(rest, "localhost")
		if !strings.HasPrefix(rest, "/") {
			return "", fmt.Errorf("%.80s: a file URL has three slashes and an absolute path", name)
		}
		return store.FilePath(rest), nil
	case "s3", "s3a":
		scheme = "s3"
	case "gs", "gcs":
		scheme = "gs"
	case "az", "abfs", "azblob":
		scheme = "azblob"
	case "memory", "mem":
		scheme = "mem"
	default: // http, or a scheme that the store refuses
		return name, nil
	}
	host, key, _ := strings.Cut(rest, "/")
	if strings.Contains(host, "@") {
		return "", fmt.Errorf("a URL with a user or an account in front of the server: %w", errors.ErrUnsupported)
	}
	return (&url.URL{Scheme: scheme, Host: host, Path: "/" + key}).String(), nil
}
