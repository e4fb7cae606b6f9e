//go:build !nos3 && !nogcs && !noazure

package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// recorder records the requests to a server.
type recorder struct {
	mu   sync.Mutex
	seen []*http.Request
}

func (r *recorder) add(q *http.Request) (number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, q)
	return len(r.seen)
}

// kind names what a request does.
func kind(r *http.Request) string {
	q := r.URL.Query()
	switch {
	case q.Has("uploads"):
		return r.Method + " uploads"
	case q.Has("partNumber"):
		return r.Method + " part " + q.Get("partNumber")
	case q.Has("uploadId"):
		return r.Method + " upload"
	default:
		return r.Method
	}
}

func (r *recorder) kinds() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var kinds []string
	for _, q := range r.seen {
		kinds = append(kinds, kind(q))
	}
	return kinds
}

// TestS3UploadRequests looks at the requests of a large and of a small object.
func TestS3UploadRequests(t *testing.T) {
	for query, checksum := range map[string]string{
		"": "CRC32C", "&request_checksum_calculation=when_required": "",
	} {
		var all recorder
		s := open(t, s3ServerBehind(t, func(server http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				all.add(r.Clone(t.Context()))
				server.ServeHTTP(w, r)
			})
		})+query, Options{})
		if err := write(t.Context(), s, "large", random(1, threeParts(s)), 1<<20); err != nil {
			t.Fatal(err)
		}
		if err := write(t.Context(), s, "small", random(1, s.driver.PartSize(0)), 1<<20); err != nil {
			t.Fatal(err)
		}
		want := []string{"POST uploads", "PUT part 1", "PUT part 2", "PUT part 3", "POST upload", "PUT"}
		if diff := cmp.Diff(want, all.kinds()); diff != "" {
			t.Fatalf("requests (-want +got):\n%s", diff)
		}
		if got := s.Stats().Requests; got != int64(len(want)) {
			t.Errorf("%d requests counted", got)
		}
		for i, r := range all.seen {
			if body := strings.HasPrefix(want[i], "PUT"); body && (r.Header.Get("X-Amz-Checksum-Crc32c") != "") != (checksum != "") {
				t.Errorf("%s has the checksum %q", want[i], r.Header.Get("X-Amz-Checksum-Crc32c"))
			}
			if i == 0 && (r.Header.Get("X-Amz-Checksum-Algorithm") != checksum || r.Header.Get("Content-Type") != bucket.ObjectType) {
				t.Errorf("announced: %v", r.Header)
			}
		}
	}
}

// TestS3LostAnswers carries every request out, and then says that it failed,
// before the same request succeeds. The first look at the object fails as well.
func TestS3LostAnswers(t *testing.T) {
	var all recorder
	var looked atomic.Bool
	s := open(t, s3ServerBehind(t, func(server http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead && !looked.Swap(true) {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			if r.Method == http.MethodHead || r.Method == http.MethodGet || all.add(r)%2 == 0 {
				server.ServeHTTP(w, r)
				return
			}
			server.ServeHTTP(httptest.NewRecorder(), r)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
	}), Options{})
	impatient(s)
	data := random(1, threeParts(s))
	if err := write(t.Context(), s, "k", data, 1<<20); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "k"); got != string(data) {
		t.Error("holds something else")
	}
	// The first answer with the ID of an upload was lost.
	if n := unfinished(t, s); n != 1 {
		t.Errorf("%d unfinished", n)
	}
	if err := s.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := unfinished(t, s); n != 0 {
		t.Errorf("%d unfinished after Clean", n)
	}
}

// TestS3UploadGone fails to complete an upload that somebody else has aborted.
func TestS3UploadGone(t *testing.T) {
	for _, lost := range []bool{false, true} { // the first answer to "complete"
		url := s3ServerBehind(t, func(server http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if kind(r) == "POST upload" && lost {
					lost = false
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				server.ServeHTTP(w, r)
			})
		})
		s, other := open(t, url, Options{}), open(t, url, Options{})
		impatient(s)
		put(t, s, map[string]string{"k": "old"})
		w, err := s.NewWriter(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(random(1, threeParts(s))); err != nil {
			t.Fatal(err)
		}
		if err := w.send(w.buffer); err != nil {
			t.Fatal(err)
		}
		up := w.up
		if err := other.Clean(t.Context()); err != nil {
			t.Fatal(err)
		}
		err = s.requests.Do(t.Context(), "close", "k", 0, func(ctx context.Context) error {
			_, err := up.Complete(ctx, driver.Condition{})
			return err
		})
		if !errors.Is(err, fs.ErrNotExist) || limits.Passing(err) {
			t.Errorf("close: %v", err)
		}
		if err := w.Abort(); err != nil {
			t.Errorf("abort: %v", err)
		}
		if got := get(t, s, "k"); got != "old" {
			t.Error("the object was replaced")
		}
	}
}

func TestS3Clean(t *testing.T) {
	url := s3Server(t)
	crashed, s := open(t, url, Options{}), open(t, url, Options{})
	beside := open(t, strings.Replace(url, "some/prefix", "some/prefix-2", 1), Options{})
	begin := func(s *Store, key string) *Writer {
		t.Helper()
		w, err := s.NewWriter(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(random(1, threeParts(s))); err != nil {
			t.Fatal(err)
		}
		return w
	}
	if err := s.Clean(t.Context()); err != nil {
		t.Errorf("nothing to do: %v", err)
	}
	for _, key := range []string{"a/0", "a/1", "a/1", "b"} {
		begin(crashed, key)
	}
	mine, foreign := begin(s, "a/0"), begin(beside, "a/0")
	if n, m := unfinished(t, s), unfinished(t, beside); n != 5 || m != 1 {
		t.Fatalf("%d unfinished, %d beside", n, m)
	}
	var cleaned []string
	s.requests.Fault = func(op, key string) error {
		cleaned = append(cleaned, op+" "+key)
		return nil
	}
	if err := s.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"clean ", "clean a/0", "clean a/1", "clean a/1", "clean b"}, cleaned); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, w := range []*Writer{mine, foreign} {
		if err := w.Close(); err != nil {
			t.Errorf("an upload that is under way: %v", err)
		}
	}
	if n := unfinished(t, s); n != 0 {
		t.Errorf("%d unfinished", n)
	}
	for _, key := range []string{"", "b"} {
		begin(crashed, "b")
		s.requests.Fault = func(_, k string) error {
			if k == key {
				return errors.ErrUnsupported
			}
			return nil
		}
		if err := s.Clean(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("fault at %q: %v", key, err)
		}
	}
}

// TestS3CleanLeavesUploads cleans where uploads may not or cannot be listed.
func TestS3CleanLeavesUploads(t *testing.T) {
	for _, c := range []struct {
		prefix string
		status int
		logged string
	}{
		{"/p", http.StatusForbidden, "403"}, {"/p", http.StatusNotImplemented, "501"},
		{"/p", http.StatusNotFound, ""}, {"", http.StatusOK, "whole bucket"},
	} {
		url := s3ServerBehind(t, func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c.status) })
		})
		var log bytes.Buffer
		s := open(t, strings.Replace(url, "/some/prefix", c.prefix, 1), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err := s.Clean(t.Context()); err != nil {
			t.Errorf("status %d: %v", c.status, err)
		}
		if got := log.String(); (c.logged == "") != (got == "") || !strings.Contains(got, c.logged) {
			t.Errorf("status %d: logged %q", c.status, got)
		}
	}
	url := s3ServerBehind(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	})
	s := open(t, url, Options{})
	impatient(s)
	if err := s.Clean(t.Context()); !limits.Passing(err) {
		t.Errorf("a busy server: %v", err)
	}
}

// TestS3ConflictingCreate has a server that answers first that an upload of the same
// object has not ended, which may be an earlier attempt of this upload. Then it answers
// that the object exists, or that it has stored the object.
func TestS3ConflictingCreate(t *testing.T) {
	for _, name := range []string{"ConditionalRequestConflict", "OperationAborted"} {
		for _, then := range []int{http.StatusOK, http.StatusPreconditionFailed} {
			var puts atomic.Int64
			s := open(t, s3ServerBehind(t, func(http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("ETag", `"e"`)
					switch {
					case r.Method != http.MethodPut:
						_, _ = io.WriteString(w, "of another")
					case puts.Add(1) == 1:
						w.WriteHeader(http.StatusConflict)
						_, _ = io.WriteString(w, "<Error><Code>"+name+"</Code></Error>")
					default:
						w.WriteHeader(then)
					}
				})
			}), Options{})
			impatient(s)
			err := s.Create(t.Context(), "k", []byte("ours"))
			if puts.Load() != 2 || (err == nil) != (then == http.StatusOK) || err != nil && !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s, %d: %d requests, %v", name, then, puts.Load(), err)
			}
		}
	}
}

// forgetful answers as an S3 server would, and keeps nothing.
func forgetful(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a broken request fails at the client
		w.Header().Set("ETag", `"etag"`)
		if r.URL.Query().Has("uploads") {
			_, _ = io.WriteString(w, `<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>`)
		} else if r.Method == http.MethodPost {
			_, _ = io.WriteString(w, `<CompleteMultipartUploadResult><ETag>"etag"</ETag></CompleteMultipartUploadResult>`)
		}
	})
}

// TestS3Hints looks at the messages for answers that no retry changes.
func TestS3Hints(t *testing.T) {
	for _, c := range []struct {
		status     int
		name, hint string
		is         error
	}{
		{http.StatusMovedPermanently, "PermanentRedirect", "put region=eu-north-1", nil},
		{http.StatusBadRequest, "AuthorizationHeaderMalformed", "put region=eu-north-1", nil},
		{http.StatusNotFound, "NoSuchBucket", "create it", nil},
		{http.StatusNotFound, "NoSuchKey", "404", fs.ErrNotExist},
		{http.StatusForbidden, "AccessDenied", "AWS_PROFILE", fs.ErrPermission},
		{http.StatusForbidden, "SignatureDoesNotMatch", "AWS_PROFILE", fs.ErrPermission},
		{http.StatusForbidden, "RequestTimeTooSkewed", "clock", fs.ErrPermission},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, s3ServerBehind(t, func(http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("X-Amz-Bucket-Region", "eu-north-1")
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, "<Error><Code>"+c.name+"</Code><Message>m</Message><StringToSign>hunter2</StringToSign></Error>")
				})
			}), Options{})
			impatient(s)
			_, readErr := s.ReadAll(t.Context(), "k", 10)
			for op, err := range map[string]error{
				"read": readErr, "put": s.Put(t.Context(), "k", []byte("x")),
				"list": s.List(t.Context(), "", func(Info) error { return nil }),
			} {
				if err == nil || limits.Passing(err) || !strings.Contains(err.Error(), c.hint) || !strings.Contains(err.Error(), c.name) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("%s: %v", op, err)
				}
				if c.is != nil && !errors.Is(err, c.is) || c.is == nil && errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %v", op, err)
				}
			}
			if got := s.Stats(); got.Retries != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestNoCredentials opens stores without any credentials.
func TestNoCredentials(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": "", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none, "AWS_WEB_IDENTITY_TOKEN_FILE": "",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "",
		"GOOGLE_APPLICATION_CREDENTIALS": none, "STORAGE_EMULATOR_HOST": "",
	} {
		t.Setenv(name, value)
	}
	for _, bucket := range []string{"s3://bucket", "gs://bucket"} {
		query := "?anonymous=true"
		if bucket == "s3://bucket" {
			query += "&region=eu-west-1"
		}
		if bucket == "s3://bucket" {
			t.Setenv("AWS_REGION", "eu-west-1")
		}
		if _, err := Open(t.Context(), bucket, Options{Limits: limits.New(0)}); err == nil || limits.Passing(err) || !strings.Contains(err.Error(), "anonymous=true") {
			t.Errorf("%s: %v", bucket, err)
		}
		open(t, bucket+query, Options{})
	}
}
