//go:build !nogcs

package gcs

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// answer returns a server that gives one answer of JSON.
func answer(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// TestPutOfObject looks at the request that stores an object, and at what is made of the
// answer.
func TestPutOfObject(t *testing.T) {
	for _, c := range []struct {
		when driver.Condition
		want string
	}{{driver.Condition{}, ""}, {driver.Condition{Absent: true}, "0"}, {driver.Condition{Version: "7"}, "7"}} {
		requests := 0
		b := bucketBehind(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			q := r.URL.Query()
			if q.Get("ifGenerationMatch") != c.want || q.Get("uploadType") != "multipart" || q.Get("name") != "p/k" {
				t.Errorf("%s %s", r.Method, r.URL)
			}
			_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
			if err != nil {
				t.Error(err)
			}
			var texts []string
			for parts := multipart.NewReader(r.Body, parameters["boundary"]); ; {
				part, err := parts.NextPart()
				if err != nil {
					break
				}
				text, _ := io.ReadAll(part)
				texts = append(texts, part.Header.Get("Content-Type")+" "+string(text))
			}
			if len(texts) != 2 || !strings.Contains(texts[0], `"crc32c":"0G6ckg=="`) || texts[1] != bucket.ObjectType+" bytes" {
				t.Errorf("the body is %q", texts)
			}
			answer(http.StatusOK, `{"name": "p/k", "generation": "8"}`)(w, r)
		})
		if version, err := b.Put(t.Context(), "k", []byte("bytes"), c.when); err != nil || version != "8" || requests != 1 {
			t.Errorf("%+v: %q, %v, %d requests", c.when, version, err, requests)
		}
	}
	for _, c := range []struct {
		status    int
		text      string
		is        error
		transient bool
		hint      string
	}{
		{http.StatusOK, "{}", nil, true, "login page"},
		{http.StatusOK, "<html>", nil, true, "login page"},
		{http.StatusOK, "[]", nil, true, "login page"},
		{http.StatusPreconditionFailed, "{}", fs.ErrExist, false, ""},
		{http.StatusNotFound, "{}", nil, false, "no such bucket"},
		{http.StatusForbidden, `{"error": {"code": 403, "errors": [{"reason": "insufficientPermissions"}]}}`, fs.ErrPermission, false, "(insufficientPermissions): check the application default credentials"},
	} {
		version, err := bucketBehind(t, answer(c.status, c.text)).Put(t.Context(), "k", []byte("bytes"), driver.Condition{Absent: true})
		if err == nil || version != "" || driver.Transient(err) != c.transient || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.hint) {
			t.Errorf("%d %s: %q, %v", c.status, c.text, version, err)
		}
	}
}

// TestPutThatIsRefused: a server may refuse an object before it has read all of it.
func TestPutThatIsRefused(t *testing.T) {
	b := bucketBehind(t, answer(http.StatusForbidden, "{}"))
	if version, err := b.Put(t.Context(), "k", make([]byte, 8<<20), driver.Condition{}); err == nil {
		t.Errorf("version %q", version)
	}
}

// TestVersionsOfObject: the description of an object, a list and a read tell the generation.
// The description has the checksum, too, unless an emulator leaves it out.
func TestVersionsOfObject(t *testing.T) {
	for sum, want := range map[string]driver.Sum{
		`, "crc32c": "0G6ckg=="`: {Table: remote.Castagnoli, Value: crc32.Checksum([]byte("bytes"), remote.Castagnoli)}, "": {},
		`, "crc32c": "AAAAAQ=="`: {Table: remote.Castagnoli, Value: 1},
	} {
		object := `{"name": "p/k", "size": "5", "generation": "7", "updated": "2020-01-02T03:04:05Z"` + sum + `}`
		b := bucketBehind(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/storage/v1/b/bucket/o/p/k":
				answer(http.StatusOK, object)(w, r)
			case "/storage/v1/b/bucket/o":
				answer(http.StatusOK, `{"items": [`+object+`]}`)(w, r)
			default:
				w.Header().Set("X-Goog-Generation", "7")
				_, _ = io.WriteString(w, "bytes")
			}
		})
		info, err := b.Stat(t.Context(), "k")
		wanted := driver.Info{Key: "k", Size: 5, Version: "7", ModTime: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), Sum: want}
		if info.ETag = ""; err != nil || info != wanted {
			t.Errorf("%+v, %v", info, err)
		}
		wanted.Sum = driver.Sum{}
		if page, err := b.List("")(t.Context()); !errors.Is(err, driver.ErrEnd) || len(page) != 1 || page[0] != wanted {
			t.Errorf("%+v, %v", page, err)
		}
		data, version, err := b.ReadAll(t.Context(), "k", 10, func(n int) []byte { return make([]byte, n) })
		if string(data) != "bytes" || version != "7" || err != nil {
			t.Errorf("%q, %q, %v", data, version, err)
		}
	}
	for _, text := range []string{"<html>", "[]"} {
		if _, err := bucketBehind(t, answer(http.StatusOK, text)).Stat(t.Context(), "k"); !driver.Transient(err) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCopyOfObject looks at the request that copies an object, and at what is made of the
// answer.
func TestCopyOfObject(t *testing.T) {
	for _, c := range []struct {
		version, want string
		size          int
		status        int
		text          string // of the error; "" for none
	}{
		{"7", "7", 5, http.StatusOK, ""}, {"", "", 5, http.StatusOK, ""}, {"7", "7", 6, http.StatusOK, "the copy has 6 bytes, the object 5"},
		{"7", "7", 5, http.StatusPreconditionFailed, "412"},
	} {
		var asked []string
		b := bucketBehind(t, func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			asked = append(asked, r.URL.Path+" "+q.Get("sourceGeneration")+" "+q.Get("ifGenerationMatch"))
			answer(c.status, fmt.Sprintf(`{"done": true, "resource": {"name": "p/k", "size": "%d", "generation": "8", "crc32c": "AAAAAQ=="}}`, c.size))(w, r)
		})
		made, known, err := b.CopyFrom(t.Context(), "other", driver.Info{Key: "a", Size: 5, Version: c.version}, "k", driver.Condition{Absent: true})
		if diff := cmp.Diff([]string{"/storage/v1/b/other/o/a/rewriteTo/b/bucket/o/p/k " + c.want + " 0"}, asked); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if c.text != "" {
			if err == nil || known || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%+v: %+v, known %t, %v", c, made, known, err)
			}
		} else if err != nil || !known || made != (driver.Copied{Sum: 1, Version: "8"}) {
			t.Errorf("%+v: %+v, known %t, %v", c, made, known, err)
		}
	}
}

// TestCopyInSteps: the server copies a large object by several requests, each of which has the
// token of the answer before it. An answer that is neither the last one nor has a token is none
// of this server.
func TestCopyInSteps(t *testing.T) {
	const last = `{"done": true, "resource": {"name": "p/k", "size": "5", "generation": "8", "crc32c": "AAAAAQ=="}}`
	for _, c := range []struct {
		answers []string
		tokens  string
		ok      bool
	}{
		{[]string{`{"rewriteToken": "a"}`, `{"rewriteToken": "b"}`, last}, ",a,b", true},
		{[]string{`{"rewriteToken": "a"}`, `{}`}, ",a", false}, {[]string{`{}`}, "", false},
		{[]string{`{"done": true}`}, "", false},
	} {
		var tokens []string
		b := bucketBehind(t, func(w http.ResponseWriter, r *http.Request) {
			tokens = append(tokens, r.URL.Query().Get("rewriteToken"))
			answer(http.StatusOK, c.answers[min(len(tokens), len(c.answers))-1])(w, r)
		})
		made, known, err := b.CopyFrom(t.Context(), "other", driver.Info{Key: "a", Size: 5}, "k", driver.Condition{})
		if got := strings.Join(tokens, ","); got != c.tokens || known != c.ok || (err == nil) != c.ok || !c.ok && !driver.Transient(err) || c.ok && made != (driver.Copied{Sum: 1, Version: "8"}) {
			t.Errorf("%q: tokens %q, %+v, known %t, %v", c.answers, got, made, known, err)
		}
	}
}

// TestPagesOfList: each page but the first is asked for by the token of the page before it. A
// list that lacks the size of an object is refused.
func TestPagesOfList(t *testing.T) {
	b := bucketBehind(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("prefix") != "p/x/" || q.Get("delimiter") != "/" {
			t.Errorf("%s", r.URL)
		}
		answer(http.StatusOK, map[string]string{
			"":  `{"items": [{"name": "p/x/zarr.json", "size": "1"}], "prefixes": ["p/x/b/", "p/x/a/"], "nextPageToken": "n"}`,
			"n": `{"prefixes": ["p/x/c/"]}`,
		}[q.Get("pageToken")])(w, r)
	})
	folders := b.Folders("x/")
	first, err := folders(t.Context())
	if diff := cmp.Diff([]string{"a", "b"}, first); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	second, err := folders(t.Context())
	if diff := cmp.Diff([]string{"c"}, second); diff != "" || !errors.Is(err, driver.ErrEnd) {
		t.Errorf("%v %s", err, diff)
	}
	half := bucketBehind(t, answer(http.StatusOK, `{"items": [{"name": "p/k"}]}`))
	if page, err := half.List("")(t.Context()); !driver.Transient(err) || !strings.Contains(err.Error(), "lacks") {
		t.Errorf("%+v, %v", page, err)
	}
}

// TestPartOfObject: a part has to begin where it was asked for.
func TestPartOfObject(t *testing.T) {
	for _, c := range []struct {
		span string // "" for an answer with the whole object
		text string // of the error; "" for none
	}{{"bytes 2-4/10", ""}, {"bytes 3-5/10", "wanted"}, {"nonsense", "wanted"}, {"", "wanted"}, {"bytes 2-4/*", ""}, {"bytes 2-3/4", "has 4"}} {
		b := bucketBehind(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/storage/") { // what is the size of the object?
				answer(http.StatusNotFound, "{}")(w, r)
				return
			}
			if r.URL.Path != "/bucket/p/k" || r.Header.Get("Range") != "bytes=2-4" || r.Header.Get("Accept-Encoding") != "gzip" {
				t.Errorf("%s %v", r.URL, r.Header)
			}
			w.Header().Set("X-Goog-Generation", "7")
			if c.span != "" {
				w.Header().Set("Content-Range", c.span)
				w.WriteHeader(http.StatusPartialContent)
			}
			_, _ = io.WriteString(w, "abc")
		})
		p := make([]byte, 3)
		err := b.Read(t.Context(), "k", p, 2, driver.Info{})
		if (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) || err == nil && string(p) != "abc" {
			t.Errorf("%q: %q, %v", c.span, p, err)
		}
	}
}

// TestLentBody: once a request has returned, nobody reads the bytes of the caller any more.
func TestLentBody(t *testing.T) {
	lent := new(loan)
	body := lent.body([][]byte{[]byte("ab"), []byte("cd")})
	p := make([]byte, 2)
	if n, err := body.Read(p); n != 2 || err != nil || string(p) != "ab" {
		t.Errorf("%q, %v", p[:n], err)
	}
	lent.end()
	if n, err := body.Read(p); n != 0 || err == nil || errors.Is(err, io.EOF) {
		t.Errorf("after the end: %d bytes, %v", n, err)
	}
}

// TestNoBucketToOpen: neither a server without a name nor a bucket without one is opened.
func TestNoBucketToOpen(t *testing.T) {
	for server, at := range map[string]location.Location{"http://[::1": {Scheme: "gs", Host: "bucket"}, "http://localhost": {Scheme: "gs"}} {
		t.Setenv("STORAGE_EMULATOR_HOST", server)
		if b, err := New(t.Context(), at); err == nil {
			t.Errorf("%s, %s: %v", server, at, b)
		}
	}
}

// TestObjectOfUnknownSize: a whole object is only read if its size is told.
func TestObjectOfUnknownSize(t *testing.T) {
	b := bucketBehind(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Goog-Generation", "7")
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, "bytes")
	})
	if data, _, err := b.ReadAll(t.Context(), "k", 10, func(n int) []byte { return make([]byte, n) }); err == nil || !strings.Contains(err.Error(), "does not tell the size") {
		t.Errorf("%q, %v", data, err)
	}
}
