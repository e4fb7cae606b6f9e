//go:build !noazure

package azure

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// environment sets the variables that name an account, and empties those that it is not
// given.
func environment(t *testing.T, values map[string]string) {
	t.Helper()
	for _, name := range []string{"ACCOUNT", "KEY", "SAS_TOKEN", "CONNECTION_STRING", "DOMAIN", "PROTOCOL", "IS_LOCAL_EMULATOR", "IS_CDN"} {
		t.Setenv("AZURE_STORAGE_"+name, values[name])
	}
}

// containerBehind opens the folder p of a container of the test's own server.
func containerBehind(t *testing.T, server http.HandlerFunc, query url.Values) *bucket.Bucket {
	t.Helper()
	at := httptest.NewServer(server)
	t.Cleanup(at.Close)
	query.Set("protocol", "http")
	query.Set("domain", strings.TrimPrefix(at.URL, "http://"))
	query.Set("storage_account", "me")
	b, err := New(t.Context(), location.Location{Scheme: "azblob", Host: "box", Path: "p", Query: query})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// TestCredentialsOfContainer looks at who signs a request.
func TestCredentialsOfContainer(t *testing.T) {
	for name, c := range map[string]struct {
		values    map[string]string
		anonymous string
		signed    bool   // by a key
		token     string // in the URL
	}{
		"a key":            {map[string]string{"KEY": "aHVudGVyMg=="}, "", true, ""},
		"nobody":           {map[string]string{"KEY": "aHVudGVyMg=="}, "true", false, ""},
		"nobody, either":   {map[string]string{"CONNECTION_STRING": "nonsense"}, "true", false, ""},
		"not nobody":       {map[string]string{"KEY": "aHVudGVyMg=="}, "false", true, ""},
		"nobody and token": {map[string]string{"SAS_TOKEN": "sig=1"}, "true", false, ""},
	} {
		environment(t, c.values)
		var signed, token string
		query := url.Values{}
		if c.anonymous != "" {
			query.Set("anonymous", c.anonymous)
		}
		b := containerBehind(t, func(w http.ResponseWriter, r *http.Request) {
			signed, token = r.Header.Get("Authorization"), r.URL.Query().Get("sig")
			w.WriteHeader(http.StatusNotFound)
		}, query)
		if _, err := b.Stat(t.Context(), "k"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		if (signed != "") != c.signed || token != c.token {
			t.Errorf("%s: signed %q, token %q", name, signed, token)
		}
	}
}

// TestNoContainer: what the environment and the query say of an account may not go together.
// No message quotes a secret.
func TestNoContainer(t *testing.T) {
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential")
	for _, name := range []string{"TENANT_ID", "CLIENT_ID", "CLIENT_SECRET", "CLIENT_CERTIFICATE_PATH", "USERNAME", "PASSWORD"} {
		t.Setenv("AZURE_"+name, "")
	}
	for _, c := range []struct {
		values map[string]string
		query  url.Values
		want   string
	}{
		{map[string]string{"CONNECTION_STRING": "BlobEndpoint=http://h;SharedAccessSignature=sig=hunter2"}, url.Values{"storage_account": {"a"}}, "use one of them"},
		{map[string]string{"CONNECTION_STRING": "hunter2"}, nil, "malformed"},
		{map[string]string{"ACCOUNT": "a", "KEY": "hunter2 is no base64"}, nil, "not base64"},
		{map[string]string{"ACCOUNT": "a", "PROTOCOL": "ftp", "KEY": "aHVudGVyMg=="}, nil, "want http or https"},
		{map[string]string{"ACCOUNT": "a"}, url.Values{"protocol": {"ftp"}}, "want http or https"},
		{map[string]string{"ACCOUNT": "a"}, nil, "no usable Azure credentials"},
		{nil, nil, "no storage account"},
	} {
		environment(t, c.values)
		b, err := New(t.Context(), location.Location{Scheme: "azblob", Host: "box", Query: c.query})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v, %v: opened %v, %v", c.values, c.query, b, err)
		}
	}
}

// TestServiceOfSignature: the URL of a service holds no signature. A signature is for the
// server that the environment names, which may be at an address.
func TestServiceOfSignature(t *testing.T) {
	for _, c := range []struct {
		domain string
		query  url.Values
		want   string // "" for an error
	}{
		{"", nil, "https://me.blob.core.windows.net"},
		{"127.0.0.1:10000", nil, "https://127.0.0.1:10000/me"},
		{"10.0.0.5:1", nil, "https://10.0.0.5:1/me"},
		{"10.0.0.5:1", url.Values{"localemu": {"false"}}, ""},
		{"example.org", url.Values{"localemu": {"true"}}, ""},
		{"example.org", url.Values{"domain": {"example.com"}}, ""},
		{"example.org", url.Values{"domain": {"example.org"}}, "https://me.example.org"},
	} {
		environment(t, map[string]string{"ACCOUNT": "me", "DOMAIN": c.domain, "SAS_TOKEN": "sv=1&sig=hunter2"})
		account, got, err := serviceOf(c.query, "sv=1&sig=hunter2")
		if (err == nil) != (c.want != "") || err == nil && (strings.TrimSuffix(got, "/") != c.want || account != "me") {
			t.Errorf("%s, %v: %s of %q, %v; want %s", c.domain, c.query, got, account, err, c.want)
		}
	}
	environment(t, map[string]string{"ACCOUNT": "me", "DOMAIN": "example.org"})
	for flag, want := range map[string]string{"true": "https://example.org/me", "false": "https://me.example.org"} {
		if _, got, err := serviceOf(url.Values{"localemu": {flag}}, ""); err != nil || strings.TrimSuffix(got, "/") != want {
			t.Errorf("localemu %s: %s, %v", flag, got, err)
		}
	}
}

// TestRefusedLogin: a token that has run out, or a login that fails, is the answer of a
// server that may be busy.
func TestRefusedLogin(t *testing.T) {
	for code, want := range map[int]int{0: http.StatusUnauthorized, http.StatusBadRequest: http.StatusBadRequest, http.StatusServiceUnavailable: http.StatusServiceUnavailable} {
		failed := &azidentity.AuthenticationFailedError{}
		if code != 0 {
			failed.RawResponse = &http.Response{StatusCode: code, Header: http.Header{"Retry-After": {"7"}}, Body: http.NoBody, Request: &http.Request{URL: &url.URL{}}}
		}
		a := new(objects).Answer(fmt.Errorf("login: %w", &wrapped{failed}))
		if a == nil || a.Code != want || (a.Pause != 0) != (code != 0) || a.Transient() != (code == http.StatusServiceUnavailable) {
			t.Errorf("%d: %+v", code, a)
		}
		if code == 0 && a.Hint != access {
			t.Errorf("the hint %q", a.Hint)
		}
	}
}

// wrapped keeps an error from being formatted.
type wrapped struct {
	err *azidentity.AuthenticationFailedError
}

func (*wrapped) Error() string   { return "wrapped" }
func (w *wrapped) Unwrap() error { return w.err }

// TestVersionsOfBlob: a description, a list and a read of an object tell its ETag, in the
// same form.
func TestVersionsOfBlob(t *testing.T) {
	environment(t, nil)
	for tag, want := range map[string]string{"<Etag>0x1</Etag>": `"0x1"`, `<Etag>"0x1"</Etag>`: `"0x1"`, "": ""} {
		b := containerBehind(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("comp") == "list" {
				w.Header().Set("Content-Type", "application/xml")
				_, _ = io.WriteString(w, `<EnumerationResults><Blobs><Blob><Name>p/k</Name><Properties><Last-Modified>Thu, 02 Jan 2020 03:04:05 GMT</Last-Modified><Content-Length>5</Content-Length>`+tag+`</Properties></Blob></Blobs></EnumerationResults>`)
				return
			}
			for _, name := range []string{"Last-Modified", "X-Ms-Creation-Time"} {
				w.Header().Set(name, "Thu, 02 Jan 2020 03:04:05 GMT")
			}
			if want != "" {
				w.Header().Set("ETag", want)
			}
			w.Header().Set("Content-Length", "5")
			if r.Method == http.MethodGet {
				_, _ = io.WriteString(w, "bytes")
			}
		}, url.Values{"anonymous": {"true"}})
		info, err := b.Stat(t.Context(), "k")
		if err != nil || info.Version != want {
			t.Errorf("%+v, %v", info, err)
		}
		if page, err := b.List("")(t.Context()); !errors.Is(err, driver.ErrEnd) || len(page) != 1 || page[0].Version != want || page[0].Size != 5 {
			t.Errorf("%+v, %v", page, err)
		}
		data, version, err := b.ReadAll(t.Context(), "k", 10, func(n int) []byte { return make([]byte, n) })
		if string(data) != "bytes" || version != want || err != nil {
			t.Errorf("%q, %q, %v", data, version, err)
		}
	}
}

// TestBlocks stores an object in blocks. The blocks of two uploads have different names, and
// bodies an MD5, because the account is in the path, as that of an emulator.
func TestBlocks(t *testing.T) {
	environment(t, nil)
	var lists []string
	var sums int
	status := http.StatusCreated
	tag := `"0x1"`
	b := containerBehind(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Content-MD5") != "" {
			sums++
		}
		if r.URL.Query().Get("comp") == "blocklist" {
			lists = append(lists, string(body))
		}
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		w.WriteHeader(status)
	}, url.Values{"anonymous": {"true"}})
	for range 2 {
		up, err := b.Begin(t.Context(), "k", driver.Condition{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			if err := up.Part(t.Context(), n, []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		status = http.StatusServiceUnavailable
		if err := up.Part(t.Context(), 2, []byte("x")); !driver.Transient(err) {
			t.Errorf("a part that is refused: %v", err)
		}
		status = http.StatusCreated
		if version, err := up.Complete(t.Context(), driver.Condition{}); err != nil || version != tag {
			t.Errorf("%q, %v", version, err)
		}
		if err := up.Abort(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if len(lists) != 2 || lists[0] == lists[1] || strings.Count(lists[0], "<Latest>") != 2 || sums != 6 {
		t.Errorf("%d sums, lists of blocks %q", sums, lists)
	}
	tag = ""
	if version, err := b.Put(t.Context(), "k", []byte("x"), driver.Condition{}); !driver.Transient(err) || version != "" {
		t.Errorf("an answer without an ETag: %q, %v", version, err)
	}
}

// TestNamesOfAzure: the name of an error says that a body was damaged on its way.
func TestNamesOfAzure(t *testing.T) {
	environment(t, nil)
	got := map[string]int{}
	for _, name := range []string{"Md5Mismatch", "Crc64Mismatch", "InvalidHeaderValue"} {
		b := containerBehind(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Ms-Error-Code", name)
			w.WriteHeader(http.StatusBadRequest)
		}, url.Values{"anonymous": {"true"}})
		_, err := b.Put(t.Context(), "k", []byte("x"), driver.Condition{})
		if answer, ok := errors.AsType[*driver.StatusError](err); ok {
			got[name] = answer.Code
		}
	}
	if diff := cmp.Diff(map[string]int{"Md5Mismatch": 408, "Crc64Mismatch": 408, "InvalidHeaderValue": 400}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b := containerBehind(t, func(http.ResponseWriter, *http.Request) {}, url.Values{"anonymous": {"true"}})
	if version, err := b.Put(t.Context(), "k", []byte("x"), driver.Condition{}); !driver.Transient(err) || version != "" || !strings.Contains(err.Error(), "login page") {
		t.Errorf("a success that is another one: %q, %v", version, err)
	}
}

// TestSumOfRange: the MD5 of an answer with a range is not that of the object.
func TestSumOfRange(t *testing.T) {
	environment(t, nil)
	for _, span := range []string{"", "bytes 0-4/5"} {
		b := containerBehind(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Last-Modified", "Thu, 02 Jan 2020 03:04:05 GMT")
			w.Header().Set("Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA==")
			w.Header().Set("Content-Length", "5")
			if span != "" {
				w.Header().Set("Content-Range", span)
				w.WriteHeader(http.StatusPartialContent)
			}
			_, _ = io.WriteString(w, "bytes")
		}, url.Values{"anonymous": {"true"}})
		p := make([]byte, 5)
		if err := b.Read(t.Context(), "k", p, 0, driver.Info{}); (err == nil) != (span != "") || string(p) != "bytes" {
			t.Errorf("%q: %q, %v", span, p, err)
		}
	}
}
