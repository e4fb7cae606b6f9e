// Package location reads the URLs of places: what their parts mean, which parameters a query
// may hold, and which keys a place keeps unchanged. It opens nothing. Its errors, and the
// [Location] that people see, hold no secret.
package location

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/zmigrate/zmigrate/internal/words"
)

// Location is a parsed URL of a folder or an object.
type Location struct {
	Scheme string // "" for a bare path, else that of the URL
	Host   string // name of the bucket or the server; "" for local places
	Path   string // local: a path of the operating system; else without leading and trailing slash
	Query  url.Values
	Hidden string // http and https: the query, unparsed, which may be a secret
}

// hasScheme matches the beginning of a URL. A file URL may have a single slash (RFC
// 8089, appendix B).
var hasScheme = words.Pattern(`^([A-Za-z][A-Za-z0-9+.-]*://|(?i:file):/)`)

// Parse reads a URL or a bare path. Its errors never quote text that may hold a
// secret.
func Parse(raw string) (Location, error) {
	if raw == "" {
		return Location{}, errors.New("empty URL")
	}
	if !strings.Contains(raw, ":/") || !hasScheme().MatchString(raw) {
		return Location{Path: raw}, checkPath(raw, runtime.GOOS)
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error quotes the URL, and with it a password.
		return Location{}, fmt.Errorf("malformed %s URL (not quoted here, it may hold a secret): percent-encode what is special in it", raw[:strings.Index(raw, ":")])
	}
	name := u.Scheme + "://" + u.Host + u.Path
	switch u.Scheme {
	case "file", "mem", "s3", "gs", "azblob", "http", "https":
	default:
		return Location{}, fmt.Errorf("%s: scheme %q: %w (%ssupported: file, mem, s3, gs, azblob, http, https and bare paths)", name, u.Scheme, errors.ErrUnsupported, schemeHint(u.Scheme))
	}
	if u.User != nil {
		return Location{}, fmt.Errorf("%s: credentials do not belong in a URL: %s", name, credentials[u.Scheme])
	}
	if u.Fragment != "" {
		return Location{}, fmt.Errorf("%s: a \"#\" must be written %%23 in a URL", name)
	}
	l := Location{Scheme: u.Scheme, Host: u.Host}
	if err := l.setQuery(u.RawQuery); err != nil {
		return Location{}, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case u.Scheme == "file" && u.Host != "" && u.Host != "localhost":
		return Location{}, fmt.Errorf("%s: a file URL has three slashes and an absolute path (file:///folder/name)", name)
	case u.Scheme == "file":
		l.Host, l.Path = "", FromURL(u.Path, runtime.GOOS)
		if l.Path == "" {
			return Location{}, fmt.Errorf("%s: no path", name)
		}
		return l, nil
	case u.Host == "" && strings.HasPrefix(u.Scheme, "http"):
		return Location{}, fmt.Errorf("%s: no server after %s://", name, u.Scheme)
	case u.Host == "":
		return Location{}, fmt.Errorf("%s: no bucket name after %s://", name, u.Scheme)
	}
	l.Path = strings.Trim(u.Path, "/")
	if l.Path != "" {
		if err := l.CheckKey(l.Path); err != nil {
			return Location{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return l, nil
}

// Local tells whether the location is a path of the operating system.
func (l Location) Local() bool { return l.Scheme == "" || l.Scheme == "file" }

// String returns the path or URL for people to read. It leaves out the query of an HTTP
// URL, and so every secret.
func (l Location) String() string {
	l.Hidden = ""
	return l.Full()
}

// Full returns the path or URL such that Parse reads it back. It may hold a secret.
func (l Location) Full() string {
	if l.Scheme == "" && checkPath(l.Path, runtime.GOOS) != nil {
		return "." + string(filepath.Separator) + l.Path
	}
	if l.Scheme == "" {
		return l.Path
	}
	u := url.URL{Scheme: l.Scheme, Host: l.Host, RawQuery: l.Query.Encode() + l.Hidden}
	if l.Path != "" {
		u.Path = "/" + strings.TrimLeft(filepath.ToSlash(l.Path), "/")
	}
	return u.String()
}

// Object returns the name of an object below the location, for messages.
func (l Location) Object(key string) string {
	if l.Local() {
		return filepath.Join(l.Path, filepath.FromSlash(key))
	}
	return l.Scheme + "://" + path.Join(l.Host, l.Path, key)
}

// Server returns the name of the server to which requests go.
func (l Location) Server() string {
	for _, name := range []string{"endpoint", "domain"} {
		if place := l.Query.Get(name); place != "" {
			return place
		}
	}
	return l.Scheme + "://" + l.Host
}

// ConnectHint returns a hint for a server that does not answer.
func (l Location) ConnectHint() string {
	switch l.Scheme {
	case "s3":
		return "check the endpoint in the query of the URL (or AWS_ENDPOINT_URL), its port, and that the server runs"
	case "azblob":
		return "check the domain in the query of the URL (or AZURE_STORAGE_DOMAIN), its port, and that the server runs"
	case "gs":
		return "check STORAGE_EMULATOR_HOST, if it is set, and the network"
	}
	return "check the server's name and its port in the URL, and that it runs"
}

// Key returns the full key, in the bucket, of an object or a prefix below the location.
func (l Location) Key(key string) string {
	if l.Path == "" {
		return key
	}
	return l.Path + "/" + key
}

// Far tells whether the location is behind a network.
func (l Location) Far() bool { return !l.Local() && l.Scheme != "mem" }

// Absolute is filepath.Abs with a plainer error.
func Absolute(p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", fmt.Errorf("no working directory for the relative path %q: %w", p, err)
	}
	return abs, nil
}

// CheckKey refuses keys that the place does not keep unchanged.
func (l Location) CheckKey(key string) error {
	err := CheckKey(key)
	switch {
	case err != nil:
		return err
	case l.Scheme == "azblob":
		return checkAzureKey(key)
	case l.Local() && runtime.GOOS == "windows":
		return checkWindowsKey(key)
	default:
		return nil
	}
}

// CheckPrefix refuses a prefix with which no key can begin.
func (l Location) CheckPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return l.CheckKey(prefix + "x")
}
