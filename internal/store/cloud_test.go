//go:build !nos3 && !nogcs && !noazure

package store

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// cloud returns the URL of an empty folder in a bucket of one of the servers
// that `make cloud-test` starts. Without these servers the test is skipped or, if
// ZMIGRATE_REQUIRE_PEERS is 1, fails.
func cloud(t *testing.T, scheme string) string {
	t.Helper()
	name := "ZMIGRATE_" + strings.ToUpper(scheme)
	url := os.Getenv(name)
	switch {
	case url != "":
	case os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1":
		t.Fatalf("%s names no bucket: `make cloud-test` starts servers", name)
	default:
		t.Skipf("needs a bucket of an object-store server: `make cloud-test` starts them (%s)", name)
	}
	bucket, query, _ := strings.Cut(url, "?")
	return bucket + "/" + rand.Text() + "/some/prefix?" + query
}

// TestCloudConformance checks that the drivers behave alike at real servers.
func TestCloudConformance(t *testing.T) {
	for _, scheme := range []string{"s3", "gs", "azblob"} {
		every := checks()
		// The server within the tests lists uploads in parts with another ETag, and knows
		// no conditions for them.
		every["versions"], every["late pieces"] = checkVersions, checkLatePieces
		// Real servers may store a part after its upload was given up.
		every["given up"] = func(t *testing.T, s *Store) { checkGivenUpLeaves(t, s, unfinishedAfterClean) }
		every["writer and ctx"] = func(t *testing.T, s *Store) { checkWriterCancelledLeaves(t, s, unfinishedAfterClean) }
		for name, check := range every {
			t.Run(scheme+"/"+name, func(t *testing.T) {
				check(t, open(t, cloud(t, scheme), Options{Parts: 3}))
			})
		}
	}
}

// TestCloudRefusals names buckets that do not exist, and uses wrong credentials.
func TestCloudRefusals(t *testing.T) {
	for _, scheme := range []string{"s3", "gs", "azblob"} {
		t.Run(scheme, func(t *testing.T) {
			url := cloud(t, scheme)
			refused(t, strings.Replace(url, "://bucket", "://nothing", 1), "create it", false)
			if scheme == "gs" {
				return // the server lets everybody in
			}
			t.Setenv("AWS_SECRET_ACCESS_KEY", "another")
			t.Setenv("AZURE_STORAGE_KEY", base64.StdEncoding.EncodeToString([]byte("another")))
			refused(t, url, "credentials", true)
			t.Setenv("AWS_ACCESS_KEY_ID", "somebody")
			refused(t, url, "credentials", true)
		})
	}
}

// refused wants an error with a hint after a single attempt.
func refused(t *testing.T, url, hint string, permission bool) {
	t.Helper()
	s := open(t, url, Options{})
	pauses := impatient(s)
	for op, err := range map[string]error{
		"put": s.Put(t.Context(), "k", []byte("x")), "create": s.Create(t.Context(), "k", []byte("x")),
		"list": s.List(t.Context(), "", func(Info) error { return nil }),
	} {
		if err == nil || limits.Passing(err) || !strings.Contains(err.Error(), hint) || errors.Is(err, fs.ErrPermission) != permission || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s %s: %v", op, s.URL(), err)
		}
	}
	if len(*pauses) > 0 {
		t.Errorf("%s: paused %v", s.URL(), *pauses)
	}
}
