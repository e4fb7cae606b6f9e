package run

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// A checkpoint does not record the signature in the URL of a source. It records which object
// the URL names.
func TestIdentityOfSignedURLs(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("0123"))
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	job := func(query string) *jobfile.Job {
		text := fmt.Sprintf("zmigrate: 1\nsource: {driver: raw, arrays: {a: {url: %q, data_type: int8, shape: [4]}}}\ntarget: {url: out.zarr}\n", server.URL+"/get?"+query)
		j := jobtest.Parse(t, dir, text)
		return j
	}
	for _, c := range []struct {
		query   string
		nothing bool
		differs string
	}{
		{"id=1&sig=hunter2&se=1", false, ""}, {"id=1&sig=other&se=2", true, ""}, {"id=2&sig=hunter2&se=1", false, "is gone"},
	} {
		result, err := execute(t, job(c.query), jobtest.Environment(), Options{})
		changed, differs := errors.AsType[*environment.ChangedError](err)
		if differs != (c.differs != "") || err != nil && !differs || err == nil && result.Nothing != c.nothing {
			t.Errorf("%s: %+v, %v", c.query, result, err)
		}
		if differs && !strings.Contains(changed.Error(), c.differs) || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.query, err)
		}
	}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.Contains(string(text), "hunter2") {
			t.Errorf("%s has the signature", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, "zmigrate: 1\nsource: {driver: raw, arrays: {a: {url: [%q, %q], concat: x, dimension_names: [x], data_type: int8, shape: [4]}}}\ntarget: {url: two.zarr}\n",
		server.URL+"/get?id=1", server.URL+"/get?id=2"), dir, jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execute(t, j, jobtest.Environment(), Options{}); err != nil {
		t.Errorf("two objects of one path: %v", err)
	}
}

// The status of a job tells whether the checkpoint belongs to the job, and what became of
// each array.
func TestStatusOfAnotherJob(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	if _, err := execute(t, j, env, Options{}); err != nil {
		t.Fatal(err)
	}
	status, err := ReadStatus(t.Context(), j, env)
	if err != nil || status.Differences != nil || len(status.Arrays) != 1 {
		t.Fatalf("%+v, %v", status, err)
	}
	if a := status.Arrays[0]; a.Path != "group/a" || a.BytesOut == 0 || a.BytesOut != status.BytesOut || a.Done != 6 || a.Chunks != 6 {
		t.Errorf("%+v of %d bytes", a, status.BytesOut)
	}
	other := jobtest.RawIn(t, j.Dir, strings.Replace(smallChunks, "height", "depth", 1))
	if status, err = ReadStatus(t.Context(), other, env); err != nil || len(status.Differences) != 1 || !strings.Contains(status.Differences[0], "long_name") {
		t.Errorf("%+v, %v", status, err)
	}
}

// A message offers a way out only if that way works.
func TestUnreachableCheckpoint(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "k")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	for code, writable := range map[string]bool{"AccessDenied": true, "InvalidAccessKeyId": false, "SignatureDoesNotMatch": false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<Error><Code>" + code + "</Code></Error>"))
		}))
		t.Cleanup(server.Close)
		j := jobtest.Raw(t, smallChunks)
		j.Run.Checkpoint.URL = "s3://b/x?region=r&use_path_style=true&endpoint=" + server.URL
		_, err := execute(t, j, jobtest.Environment(), Options{})
		if err == nil || !strings.Contains(err.Error(), code) || strings.Contains(err.Error(), "run.checkpoint.url") != writable {
			t.Errorf("%s: %v", code, err)
		}
	}
}
