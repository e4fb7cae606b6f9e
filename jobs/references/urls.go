package references

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// fsspecURL returns the URL of a file as fsspec reads it, given the URL that a
// [sources.File] has. A path becomes a file URL. fsspec takes the names in file, s3, gs and
// abfs URLs literally, so they are not percent-encoded.
func fsspecURL(of string) (string, error) {
	scheme, _, isURL := strings.Cut(of, "://")
	if !isURL {
		name := filepath.ToSlash(of)
		if !strings.HasPrefix(name, "/") {
			name = "/" + name // a drive of Windows
		}
		return "file://" + name, nil
	}
	if scheme == "http" || scheme == "https" {
		return of, nil
	}
	u, err := url.Parse(of)
	if err != nil {
		return "", err
	}
	names := map[string]string{"s3": "s3", "gs": "gs", "azblob": "abfs", "mem": "memory", "file": "file"}
	if names[scheme] == "" {
		return "", fmt.Errorf("no URL of fsspec is known for %s://: %w", scheme, errors.ErrUnsupported)
	}
	return names[scheme] + "://" + u.Host + u.Path, nil
}
