package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// A bucket that refuses requests is named without the query of its URL. Who only reads it is told
// how to do without credentials, and who writes is not.
func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>`))
	}))
	t.Cleanup(server.Close)
	at := func(key string) string {
		return "s3://bucket/" + key + "?region=r&use_path_style=true&endpoint=" + url.QueryEscape(server.URL)
	}
	source, err := filepath.Abs(example)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args   []string
		wanted string
		public bool
	}{
		"target":     {[]string{"copy", source, at("out.zarr")}, "zmigrate: checkpoint: list s3://bucket/out.zarr.zmigrate/lock: the server answers 403 Forbidden (AccessDenied): check the AWS credentials", false},
		"checkpoint": {[]string{"copy", "--set", "run.checkpoint.url=" + at("there"), source, filepath.Join(t.TempDir(), "out.zarr")}, "list s3://bucket/there/lock: the server answers 403", false},
		"source":     {[]string{"copy", at("in.nc"), filepath.Join(t.TempDir(), "out.zarr")}, "s3://bucket/in.nc: the server answers 403", true},
		"inspected":  {[]string{"inspect", at("in.zarr")}, "the server answers 403", true},
	} {
		c := zmigrate(t.Context(), t, test.args...)
		c.Stderr = nil
		c.Env = append(c.Environ(), "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret")
		text, err := c.CombinedOutput()
		if err == nil || c.ProcessState.ExitCode() != 1 {
			t.Errorf("%s: %v", name, err)
		}
		if said := string(text); !strings.Contains(said, test.wanted) || strings.Contains(said, "anonymous=true") != test.public {
			t.Errorf("%s: %s", name, said)
		}
	}
}
