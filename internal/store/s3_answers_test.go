//go:build !nos3 && !nogcs && !noazure

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/s3"
)

// s3Answers opens a store in a bucket whose server gives the test's own answers.
func s3Answers(t *testing.T, answer http.HandlerFunc) *Store {
	t.Helper()
	s := open(t, s3ServerBehind(t, func(http.Handler) http.Handler { return answer }), Options{Retries: 1})
	impatient(s)
	return s
}

// TestS3Settings: the query of the URL, and behind it the environment, says how requests
// are made.
func TestS3Settings(t *testing.T) {
	requests := map[string]*http.Request{} // by their methods
	base := s3ServerBehind(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			requests[r.Method] = r
			w.Header().Set("ETag", `"e"`)
		})
	})
	bare := strings.Replace(base, "use_path_style=true&region=eu-west-1&", "", 1)
	bare = strings.Replace(bare, "127.0.0.1", "localhost", 1) // an address would always have the bucket in the path
	const path = "&use_path_style=true"
	for _, c := range []struct {
		query        string
		names        []string // variables of the environment and their values
		region       string   // "" for requests without a signature
		sum, compare bool     // bodies have a checksum; one is asked for
	}{
		{path, nil, "us-east-1", true, true},
		{path, []string{"AWS_REGION", "eu-north-1"}, "eu-north-1", true, true},
		{"&s3ForcePathStyle=true&region=eu-west-1", []string{"AWS_REGION", "eu-north-1"}, "eu-west-1", true, true},
		{path + "&anonymous=true", nil, "", true, true},
		{path + "&request_checksum_calculation=when_required", nil, "us-east-1", false, true},
		{path + "&request_checksum_calculation=when_supported", []string{"AWS_REQUEST_CHECKSUM_CALCULATION", "when_required"}, "us-east-1", true, true},
		{path + "&response_checksum_validation=when_required", nil, "us-east-1", true, false},
		{path + "&response_checksum_validation=when_supported", []string{"AWS_RESPONSE_CHECKSUM_VALIDATION", "when_required"}, "us-east-1", true, true},
	} {
		t.Run(c.query, func(t *testing.T) {
			t.Setenv("AWS_REGION", "")
			if c.names != nil {
				t.Setenv(c.names[0], c.names[1])
			}
			s := open(t, bare+c.query, Options{})
			put(t, s, map[string]string{"k": "x"})
			_, _ = s.ReadAll(t.Context(), "k", 10)
			for method, r := range requests {
				signed := r.Header.Get("Authorization")
				if (signed != "") != (c.region != "") || c.region != "" && !strings.Contains(signed, "/"+c.region+"/s3/") || r.URL.Path != "/bucket/some/prefix/k" {
					t.Errorf("%s %s: signed %q", method, r.URL, signed)
				}
			}
			if got := requests[http.MethodPut].Header.Get("X-Amz-Checksum-Crc32c") != ""; got != c.sum {
				t.Errorf("a body has a checksum: %t", got)
			}
			if got := requests[http.MethodGet].Header.Get("X-Amz-Checksum-Mode") != ""; got != c.compare {
				t.Errorf("a checksum is asked for: %t", got)
			}
		})
	}
	t.Setenv("AWS_REQUEST_CHECKSUM_CALCULATION", "perhaps")
	if s, err := Open(t.Context(), base, Options{Limits: limits.New(0)}); err == nil {
		t.Errorf("opened %s with a malformed environment", s.URL())
	}
}

// TestNoNameOfBucket: a location without the name of a bucket is not opened.
func TestNoNameOfBucket(t *testing.T) {
	query := url.Values{"region": {"r"}, "anonymous": {"true"}, "storage_account": {"a"}}
	for scheme, open := range map[string]func(context.Context, location.Location) (*bucket.Bucket, error){"s3": s3.New} {
		if b, err := open(t.Context(), location.Location{Scheme: scheme, Query: query}); err == nil {
			t.Errorf("%s: %v", scheme, b)
		}
	}
}

// TestS3Versions: a description, a list and a read of an object tell its ETag.
func TestS3Versions(t *testing.T) {
	s := s3Answers(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"e"`)
		if r.URL.Query().Has("list-type") {
			w.Header().Set("Content-Type", "application/xml")
			_, _ = io.WriteString(w, `<ListBucketResult><Contents><Key>some/prefix/k</Key><Size>5</Size><ETag>"e"</ETag><LastModified>2020-01-02T03:04:05Z</LastModified></Contents></ListBucketResult>`)
		} else if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, "bytes")
		}
	})
	info, err := s.Stat(t.Context(), "k")
	if err != nil || info.Version != `"e"` {
		t.Errorf("%+v, %v", info, err)
	}
	if err := s.List(t.Context(), "", func(i Info) error { info = i; return nil }); err != nil || info.Version != `"e"` || info.Size != 5 {
		t.Errorf("%+v, %v", info, err)
	}
	if _, version, err := s.ReadInto(t.Context(), "k", 10, allocate); err != nil || version != `"e"` {
		t.Errorf("%q, %v", version, err)
	}
}

// TestListOfHalfAnObject: a list that says too little of an object is no answer of the
// provider.
func TestListOfHalfAnObject(t *testing.T) {
	for scheme, text := range map[string]string{
		"s3":     `<ListBucketResult><Contents><Key>p/k</Key><Size>5</Size></Contents></ListBucketResult>`,
		"azblob": `<EnumerationResults><Blobs><Blob><Name>p/k</Name></Blob></Blobs></EnumerationResults>`,
	} {
		s := openAt(t, scheme, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			_, _ = io.WriteString(w, text)
		}))
		if err := s.List(t.Context(), "", func(Info) error { return nil }); !limits.Passing(err) || !strings.Contains(err.Error(), "lacks") {
			t.Errorf("%s: %v", scheme, err)
		}
		if folders, err := s.Folders(t.Context(), ""); !limits.Passing(err) {
			t.Errorf("%s: %q, %v", scheme, folders, err)
		}
	}
}

// TestS3NamesOfErrors: the name of an error says more than the status of the answer.
func TestS3NamesOfErrors(t *testing.T) {
	for _, c := range []struct {
		status   int
		body     string // the name, unless it is no name
		attempts int
		code     int // that the error has
		text     string
	}{
		{400, "SlowDown", 2, 503, ""}, {400, "ServiceUnavailable", 2, 503, ""}, {400, "ThrottlingException", 2, 503, ""},
		{400, "InternalError", 2, 500, ""}, {400, "RequestTimeout", 2, 408, ""}, {400, "BadDigest", 2, 408, ""},
		{404, "XAdminUserNotFound", 1, 403, "AWS credentials"}, {400, "InvalidArgument", 1, 400, ""},
		{400, "IllegalLocationConstraintException", 1, 400, "name it as region=NAME"},
		{307, "", 1, 307, "name it as region=NAME"}, {301, "", 1, 301, "name it as region=NAME"},
		{300, "", 1, 300, ""}, {403, "no < XML", 1, 403, ""}, {200, "no < XML", 2, 200, "login page"},
	} {
		requests := 0
		s := s3Answers(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(c.status)
			if strings.Contains(c.body, "<") {
				_, _ = io.WriteString(w, c.body)
			} else if c.body != "" {
				_, _ = io.WriteString(w, "<Error><Code>"+c.body+"</Code></Error>")
			}
		})
		err := s.List(t.Context(), "", func(Info) error { return nil })
		answer, ok := errors.AsType[*driver.StatusError](err)
		if !ok || answer.Code != c.code || limits.Passing(err) != (c.attempts > 1) || requests != c.attempts || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%d %s: %d requests, %v", c.status, c.body, requests, err)
		}
	}
}

// TestS3NoETag: every success of S3 has an ETag, or the name of an upload.
func TestS3NoETag(t *testing.T) {
	var bare string // the kind of request whose answer has nothing
	s := s3Answers(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch kind(r) {
		case bare:
			_, _ = io.WriteString(w, "<Result></Result>")
		case "POST uploads":
			_, _ = io.WriteString(w, "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>")
		case "POST upload":
			_, _ = io.WriteString(w, "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>")
		default:
			w.Header().Set("ETag", `"e"`)
		}
	})
	upload := func() (version string, err error) {
		up, err := s.driver.Begin(t.Context(), "k", driver.Condition{})
		if err != nil {
			return "", err
		}
		if err := up.Part(t.Context(), 0, []byte("x")); err != nil {
			return "", err
		}
		return up.Complete(t.Context(), driver.Condition{})
	}
	for _, bare = range []string{"", "GET", "HEAD", "PUT", "POST uploads", "PUT part 1", "POST upload"} {
		version, err := upload()
		switch bare {
		case "GET":
			_, version, err = s.driver.ReadAll(t.Context(), "k", 100, allocate)
		case "HEAD":
			_, err = s.driver.Stat(t.Context(), "k")
			version = ""
		}
		if bare == "PUT" {
			version, err = s.driver.Put(t.Context(), "k", nil, driver.Condition{})
		}
		if bare == "" && (err != nil || version != "e") || bare != "" && (!driver.Transient(err) || version != "" || !strings.Contains(err.Error(), "login page")) {
			t.Errorf("%q: %q, %v", bare, version, err)
		}
	}
}

// TestS3ConditionOfNoObject: an object that should have a version does not exist any more.
func TestS3ConditionOfNoObject(t *testing.T) {
	for _, c := range []struct {
		name     string
		when     driver.Condition
		conflict bool
	}{
		{"NoSuchKey", driver.Condition{Version: "v"}, true}, {"NoSuchKey", driver.Condition{}, false}, {"NoSuchKey", driver.Condition{Absent: true}, false},
		{"NoSuchUpload", driver.Condition{Version: "v"}, false}, {"NoSuchBucket", driver.Condition{Version: "v"}, false},
	} {
		s := s3Answers(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<Error><Code>"+c.name+"</Code></Error>")
		})
		if _, err := s.driver.Put(t.Context(), "k", nil, c.when); err == nil || errors.Is(err, fs.ErrExist) != c.conflict {
			t.Errorf("%s, %+v: %v", c.name, c.when, err)
		}
	}
}

// TestS3Complete sends the parts of an upload in the wrong order, and completes the upload
// in one attempt or two.
func TestS3Complete(t *testing.T) {
	for name, c := range map[string]struct {
		answers []int // to the attempts
		head    int   // status of the answer about the object
		size    int64 // of the object
		last    int   // status of the last error; 0 for none
	}{
		"at once":              {[]int{200}, 404, 0, 0},
		"gone":                 {[]int{404}, 200, 9, 404}, // the object is somebody else's
		"was done":             {[]int{503, 404}, 200, 9, 0},
		"another object":       {[]int{503, 404}, 200, 8, 404},
		"no object":            {[]int{503, 404}, 404, 0, 404},
		"nobody knows":         {[]int{503, 404}, 403, 0, 403},
		"refused at the end":   {[]int{503, 403}, 200, 9, 403},
		"a condition does not": {[]int{412}, 200, 9, 412},
	} {
		var order []string
		left := c.answers
		s := s3Answers(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("ETag", `"e"`)
			switch kind(r) {
			case "POST uploads":
				_, _ = io.WriteString(w, "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>")
			case "HEAD":
				w.Header().Set("Content-Length", fmt.Sprint(c.size))
				w.WriteHeader(c.head)
			case "POST upload":
				order = nil
				for part := range strings.SplitSeq(string(body), "<PartNumber>") {
					if n, _, ok := strings.Cut(part, "</PartNumber>"); ok {
						order = append(order, n)
					}
				}
				w.WriteHeader(left[0])
				if left[0] == http.StatusOK {
					_, _ = io.WriteString(w, `<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>`)
				}
				left = left[1:]
			}
		})
		up, err := s.driver.Begin(t.Context(), "k", driver.Condition{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 0, 1} {
			if err := up.Part(t.Context(), n, []byte("four")[:4-n]); err != nil { // nine bytes
				t.Fatal(err)
			}
		}
		var version string
		for range c.answers {
			version, err = up.Complete(t.Context(), driver.Condition{Version: "v"})
		}
		code := 0
		if answer, ok := errors.AsType[*driver.StatusError](err); ok {
			code = answer.Code
		} else if errors.Is(err, fs.ErrExist) {
			code = http.StatusPreconditionFailed
		}
		if (err == nil) != (c.last == 0) || code != c.last || errors.Is(err, fs.ErrExist) != (c.last == http.StatusPreconditionFailed) || err == nil && version != `"e"` {
			t.Errorf("%s: %q, %v", name, version, err)
		}
		if diff := cmp.Diff([]string{"1", "2", "3"}, order); diff != "" {
			t.Errorf("%s: parts (-want +got):\n%s", name, diff)
		}
	}
}

// TestS3CleanOfOwnUploads: Clean leaves an upload of its own store alone, also after an
// attempt to complete it has failed, until the upload is given up.
func TestS3CleanOfOwnUploads(t *testing.T) {
	refuse, aborted := false, 0
	s := s3Answers(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		switch kind(r) {
		case "POST uploads":
			_, _ = io.WriteString(w, "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>")
		case "GET uploads":
			_, _ = io.WriteString(w, "<ListMultipartUploadsResult><Upload><Key>some/prefix/k</Key><UploadId>id</UploadId></Upload></ListMultipartUploadsResult>")
		case "DELETE upload":
			if refuse {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			aborted++
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	})
	up, err := s.driver.Begin(t.Context(), "k", driver.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := up.Complete(t.Context(), driver.Condition{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("complete: %v", err)
	}
	if err := s.Clean(t.Context()); err != nil || aborted != 0 {
		t.Errorf("an upload under way: %v, %d aborted", err, aborted)
	}
	refuse = true
	if err := up.Abort(t.Context()); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("abort: %v", err)
	}
	if err := s.Clean(t.Context()); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("clean: %v", err)
	}
	refuse = false
	if err := s.Clean(t.Context()); err != nil || aborted != 1 {
		t.Errorf("an upload that was given up: %v, %d aborted", err, aborted)
	}
}

// TestS3BodiesAreClosed: a body that is not wanted is not read, and leaves no connection
// open.
func TestS3BodiesAreClosed(t *testing.T) {
	closed := make(chan struct{}, 10)
	s := s3Answers(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Length", "1000000")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		closed <- struct{}{}
	})
	_, _, all := s.driver.ReadAll(t.Context(), "k", 10, allocate)
	part := s.driver.Read(t.Context(), "k", make([]byte, 10), 0, Info{Key: "k", Version: "v"})
	if !errors.Is(all, ErrTooLarge) || !errors.Is(part, ErrChanged) {
		t.Errorf("%v, %v", all, part)
	}
	for range 2 {
		select {
		case <-closed:
		case <-time.After(time.Minute):
			t.Fatal("a connection stays open")
		}
	}
}

// TestClosedMemory: a bucket that belongs to one store is closed with it. A bucket that
// stores share is not.
func TestClosedMemory(t *testing.T) {
	for _, memory := range []*Memory{nil, new(Memory)} {
		s, err := Open(t.Context(), "mem://n", Options{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Put(t.Context(), "k", nil); (err == nil) != (memory != nil) {
			t.Errorf("shared: %t: %v", memory != nil, err)
		}
	}
}
