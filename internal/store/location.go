package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// location is a parsed URL of a folder or an object.
type location struct {
	scheme string // "" for a bare path, else that of the URL
	host   string // name of the bucket or the server; "" for local places
	path   string // local: a path of the operating system; else without leading and trailing slash
	query  url.Values
	hidden string // http and https: the query, unparsed, which may be a secret
}

// hasScheme matches the beginning of a URL. A file URL may have a single slash (RFC
// 8089, appendix B).
var hasScheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://|(?i:file):/)`)

// parse reads a URL or a bare path. Its errors never quote text that may hold a
// secret.
func parse(raw string) (location, error) {
	if raw == "" {
		return location{}, errors.New("empty URL")
	}
	if !hasScheme.MatchString(raw) {
		return location{path: raw}, checkPath(raw, runtime.GOOS)
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error quotes the URL, and with it a password.
		return location{}, fmt.Errorf("malformed %s URL (not quoted here, it may hold a secret): percent-encode what is special in it", raw[:strings.Index(raw, ":")])
	}
	name := u.Scheme + "://" + u.Host + u.Path
	switch u.Scheme {
	case "file", "mem", "s3", "gs", "azblob", "http", "https":
	default:
		return location{}, fmt.Errorf("%s: scheme %q: %w (%ssupported: file, mem, s3, gs, azblob, http, https and bare paths)", name, u.Scheme, errors.ErrUnsupported, schemeHint(u.Scheme))
	}
	if u.User != nil {
		return location{}, fmt.Errorf("%s: credentials do not belong in a URL: %s", name, credentials[u.Scheme])
	}
	if u.Fragment != "" {
		return location{}, fmt.Errorf("%s: a \"#\" must be written %%23 in a URL", name)
	}
	l := location{scheme: u.Scheme, host: u.Host}
	if err := l.setQuery(u.RawQuery); err != nil {
		return location{}, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case u.Scheme == "file" && u.Host != "" && u.Host != "localhost":
		return location{}, fmt.Errorf("%s: a file URL has three slashes and an absolute path (file:///folder/name)", name)
	case u.Scheme == "file":
		l.host, l.path = "", filepath.FromSlash(u.Path)
		if l.path == "" {
			return location{}, fmt.Errorf("%s: no path", name)
		}
		return l, nil
	case u.Host == "" && strings.HasPrefix(u.Scheme, "http"):
		return location{}, fmt.Errorf("%s: no server after %s://", name, u.Scheme)
	case u.Host == "":
		return location{}, fmt.Errorf("%s: no bucket name after %s://", name, u.Scheme)
	}
	l.path = strings.Trim(u.Path, "/")
	if l.path != "" {
		if err := l.checkKey(l.path); err != nil {
			return location{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return l, nil
}

// local tells whether the location is a path of the operating system.
func (l location) local() bool { return l.scheme == "" || l.scheme == "file" }

// String returns the path or URL for people to read. It leaves out the query of an HTTP
// URL, and so every secret.
func (l location) String() string {
	l.hidden = ""
	return l.full()
}

// full returns the path or URL such that parse reads it back. It may hold a secret.
func (l location) full() string {
	if l.scheme == "" && checkPath(l.path, runtime.GOOS) != nil {
		return "." + string(filepath.Separator) + l.path
	}
	if l.scheme == "" {
		return l.path
	}
	u := url.URL{Scheme: l.scheme, Host: l.host, RawQuery: l.query.Encode() + l.hidden}
	if l.path != "" {
		u.Path = "/" + strings.TrimLeft(filepath.ToSlash(l.path), "/")
	}
	return u.String()
}

// object returns the name of an object below the location, for messages.
func (l location) object(key string) string {
	if l.local() {
		return filepath.Join(l.path, filepath.FromSlash(key))
	}
	return l.scheme + "://" + path.Join(l.host, l.path, key)
}

// server returns the name of the server to which requests go.
func (l location) server() string {
	for _, name := range []string{"endpoint", "domain"} {
		if place := l.query.Get(name); place != "" {
			return place
		}
	}
	return l.scheme + "://" + l.host
}

// connectHint returns a hint for a server that does not answer.
func (l location) connectHint() string {
	switch l.scheme {
	case "s3":
		return "check the endpoint in the query of the URL (or AWS_ENDPOINT_URL), its port, and that the server runs"
	case "azblob":
		return "check the domain in the query of the URL (or AZURE_STORAGE_DOMAIN), its port, and that the server runs"
	case "gs":
		return "check STORAGE_EMULATOR_HOST, if it is set, and the network"
	}
	return "check the server's name and its port in the URL, and that it runs"
}

// key returns the full key, in the bucket, of an object or a prefix below the location.
func (l location) key(key string) string {
	if l.path == "" {
		return key
	}
	return l.path + "/" + key
}

// far tells whether the location is behind a network.
func (l location) far() bool { return !l.local() && l.scheme != "mem" }

// absolute is filepath.Abs with a plainer error.
func absolute(p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", fmt.Errorf("no working directory for the relative path %q: %w", p, err)
	}
	return abs, nil
}

// checkKey refuses keys that the place does not keep unchanged.
func (l location) checkKey(key string) error {
	if err := checkKey(key); err != nil || l.scheme != "azblob" {
		return err
	}
	if i := strings.IndexAny(key, "\"#%?\\"); i >= 0 {
		return fmt.Errorf("key %q has a %q, which no name in Azure has here: %w", key, key[i], fs.ErrInvalid)
	}
	for part := range strings.SplitSeq(key, "/") {
		if strings.HasSuffix(part, ".") {
			return fmt.Errorf("key %q has a part that ends with a dot, which Azure drops: %w", key, fs.ErrInvalid)
		}
	}
	return nil
}

// checkPrefix refuses a prefix with which no key can begin.
func (l location) checkPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return l.checkKey(prefix + "x")
}
