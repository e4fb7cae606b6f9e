package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// location is a parsed URL of a folder or an object.
type location struct {
	scheme string // "" for a bare path, else that of the URL
	host   string // name of the bucket or the server; "" for local places
	path   string // local: a path of the operating system; else without leading and trailing slash
	query  url.Values
}

var (
	hasScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

	// parameters are what the query of an s3 URL may hold. None is a secret.
	parameters = map[string]bool{
		"region": true, "endpoint": true, "profile": true, "anonymous": true,
		"use_path_style": true, "s3ForcePathStyle": true,
		"request_checksum_calculation": true, "response_checksum_validation": true,
	}
)

// parse reads a URL or a bare path. Its errors never quote what may hold a
// secret.
func parse(raw string) (location, error) {
	if raw == "" {
		return location{}, errors.New("empty URL")
	}
	if !hasScheme.MatchString(raw) {
		return location{path: raw}, nil
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error quotes the URL, and with it a password.
		return location{}, fmt.Errorf("malformed %s URL (not quoted here, it may hold a secret): percent-encode what is special in it", raw[:strings.Index(raw, ":")])
	}
	name := u.Scheme + "://" + u.Host + u.Path
	switch u.Scheme {
	case "file", "mem", "s3", "http", "https":
	default:
		return location{}, fmt.Errorf("%s: scheme %q: %w (supported: file, mem, s3, http, https and bare paths)", name, u.Scheme, errors.ErrUnsupported)
	}
	if u.User != nil {
		return location{}, fmt.Errorf("%s: credentials do not belong in a URL: set them in the environment or in a profile", name)
	}
	if u.Fragment != "" {
		return location{}, fmt.Errorf("%s: a \"#\" must be written %%23 in a URL", name)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return location{}, fmt.Errorf("%s: malformed query", name)
	}
	for key := range query {
		if u.Scheme != "s3" || !parameters[key] {
			return location{}, fmt.Errorf("%s: unknown parameter %q in the query", name, key)
		}
	}
	l := location{scheme: u.Scheme, host: u.Host, query: query}
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
		if err := checkKey(l.path); err != nil {
			return location{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return l, nil
}

// local tells whether the location is a path of the operating system.
func (l location) local() bool { return l.scheme == "" || l.scheme == "file" }

// String returns the path or URL, without secrets, such that parse reads it
// back.
func (l location) String() string {
	if l.scheme == "" {
		return l.path
	}
	u := url.URL{Scheme: l.scheme, Host: l.host, RawQuery: l.redacted().Encode()}
	if l.path != "" {
		u.Path = "/" + strings.TrimLeft(filepath.ToSlash(l.path), "/")
	}
	return u.String()
}

// redacted is the query without the credentials that an endpoint may carry.
func (l location) redacted() url.Values {
	raw := l.query.Get("endpoint")
	if raw == "" {
		return l.query
	}
	query := maps.Clone(l.query)
	u, err := url.Parse(raw)
	if err != nil {
		query.Set("endpoint", "redacted")
		return query
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	query.Set("endpoint", u.String())
	return query
}

// object names an object below the location in messages.
func (l location) object(key string) string {
	if l.local() {
		return filepath.Join(l.path, filepath.FromSlash(key))
	}
	return l.scheme + "://" + path.Join(l.host, l.path, key)
}

// key is the full key, in its bucket, of an object or prefix below the location.
func (l location) key(key string) string {
	if l.path == "" {
		return key
	}
	return l.path + "/" + key
}

// Sibling returns the URL of the folder beside the given one whose name is
// longer by the suffix: "s3://b/x.zarr?region=r" and ".zmigrate" give
// "s3://b/x.zarr.zmigrate?region=r". A whole S3 bucket has no sibling.
func Sibling(url, suffix string) (string, error) {
	l, err := parse(url)
	switch {
	case err != nil:
		return "", err
	case l.local():
		if base := filepath.Base(l.path); base == "." || base == ".." || base == string(filepath.Separator) {
			if l.path, err = absolute(l.path); err != nil {
				return "", err
			}
		}
		l.path = filepath.Clean(l.path)
		if filepath.Dir(l.path) == l.path {
			return "", fmt.Errorf("%s has nothing beside it", l)
		}
		l.path += suffix
	case l.path != "":
		l.path += suffix
	case l.scheme == "mem":
		l.host += suffix
	default:
		return "", fmt.Errorf("%s is a whole bucket and has nothing beside it: use a prefix in it", l)
	}
	return l.String(), nil
}

// Split cuts the URL of one object into the URL of its folder and its key.
func Split(url string) (dir, key string, err error) {
	l, err := parse(url)
	if err != nil {
		return "", "", err
	}
	if strings.HasSuffix(strings.SplitN(url, "?", 2)[0], "/") || !l.local() && l.path == "" {
		return "", "", fmt.Errorf("%s is a folder, not one object", l)
	}
	if l.local() {
		key, l.path = filepath.Base(l.path), filepath.Dir(l.path)
	} else {
		parent, base := path.Split(l.path)
		key, l.path = base, strings.TrimSuffix(parent, "/")
	}
	if err := checkKey(key); err != nil {
		return "", "", fmt.Errorf("%s: %w", url, err)
	}
	return l.String(), key, nil
}

// Join resolves ref against the local folder base when ref is a relative bare
// path; URLs and absolute paths stay as they are.
func Join(base, ref string) (string, error) {
	l, err := parse(ref)
	if err != nil {
		return "", err
	}
	if l.scheme != "" || filepath.IsAbs(ref) || base == "" {
		return ref, nil
	}
	return filepath.Join(base, ref), nil
}

// absolute is filepath.Abs with a plainer error.
func absolute(p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", fmt.Errorf("no working directory for the relative path %q: %w", p, err)
	}
	return abs, nil
}

// checkKey refuses keys that not every store keeps as they are.
func checkKey(key string) error {
	if key == "" {
		return fmt.Errorf("empty key: %w", fs.ErrInvalid)
	}
	for part := range strings.SplitSeq(key, "/") {
		switch part {
		case "":
			return fmt.Errorf("key %q has an empty part: %w", key, fs.ErrInvalid)
		case ".", "..":
			return fmt.Errorf("key %q has a part %q: %w", key, part, fs.ErrInvalid)
		}
	}
	return checkText(key)
}

// checkPrefix is checkKey for the beginning of a key.
func checkPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return checkKey(prefix + "x")
}

func checkText(key string) error {
	if !utf8.ValidString(key) {
		return fmt.Errorf("key %q is not UTF-8 text: %w", key, fs.ErrInvalid)
	}
	if i := strings.IndexFunc(key, unicode.IsControl); i >= 0 {
		return fmt.Errorf("key %q has a control character at byte %d: %w", key, i, fs.ErrInvalid)
	}
	return nil
}
