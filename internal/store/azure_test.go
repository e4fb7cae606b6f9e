//go:build !nos3 && !nogcs && !noazure

package store

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// nvme is the table of CRC-64/NVME, the checksum of bodies in Azure.
var nvme = crc64.MakeTable(0x9A6C9329AC4BC9B5)

// azureBehind opens a store in a container of the test's own server. The URL has no
// account in its path, which the URL of an emulator has.
func azureBehind(t *testing.T, server http.Handler) *Store {
	t.Helper()
	at := httptest.NewServer(server)
	t.Cleanup(at.Close)
	for name, value := range map[string]string{
		"AZURE_STORAGE_ACCOUNT": "", "AZURE_STORAGE_KEY": "", "AZURE_STORAGE_SAS_TOKEN": "",
		"AZURE_STORAGE_CONNECTION_STRING": "BlobEndpoint=" + at.URL + ";SharedAccessSignature=sv=1&sig=hunter2",
	} {
		t.Setenv(name, value)
	}
	return open(t, "azblob://box/p", Options{})
}

// blocks takes blobs as Azure does, and checks their sums.
type blocks struct {
	mu      sync.Mutex
	staged  map[string][]byte
	objects map[string][]byte
	kinds   []string
}

func (b *blocks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	q := r.URL.Query()
	b.kinds = append(b.kinds, strings.TrimSpace(r.Method+" "+q.Get("comp")))
	if q.Get("comp") == "blocklist" {
		var list struct{ Latest []string }
		if err := xml.Unmarshal(body, &list); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var data []byte
		for _, name := range list.Latest {
			data = append(data, b.staged[name]...)
		}
		b.objects[r.URL.Path] = data
		w.Header().Set("ETag", `"e"`)
		w.WriteHeader(http.StatusCreated)
		return
	}
	sum := base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint64(nil, crc64.Checksum(body, nvme)))
	switch _, there := b.objects[r.URL.Path]; {
	case r.Header.Get("X-Ms-Content-Crc64") != sum:
		w.Header().Set("X-Ms-Error-Code", "Crc64Mismatch")
		w.WriteHeader(http.StatusBadRequest)
		return
	case there && r.Header.Get("If-None-Match") == "*":
		w.Header().Set("X-Ms-Error-Code", "BlobAlreadyExists")
		w.WriteHeader(http.StatusConflict)
		return
	case q.Get("comp") == "block":
		b.staged[q.Get("blockid")] = body
	default:
		b.objects[r.URL.Path] = body
	}
	w.Header().Set("ETag", `"e"`)
	w.WriteHeader(http.StatusCreated)
}

func TestAzureUpload(t *testing.T) {
	server := &blocks{staged: map[string][]byte{}, objects: map[string][]byte{}}
	s := azureBehind(t, server)
	data := random(1, 2*bucket.PartBytes+7)
	if err := write(t.Context(), s, "large", data, 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "small", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), "small", []byte("y")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create: %v", err)
	}
	want := []string{"PUT block", "PUT block", "PUT block", "PUT blocklist", "PUT", "PUT"}
	if diff := cmp.Diff(want, server.kinds); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if string(server.objects["/box/p/large"]) != string(data) || string(server.objects["/box/p/small"]) != "x" {
		t.Error("other objects are there")
	}
	// Beginning an upload counts as an operation, although it makes no request.
	if got := s.Stats(); got.Requests != int64(len(want))+1 || got.Retries != 0 {
		t.Errorf("%+v", got)
	}
}

// TestAzureAnswers maps the answers of a server to numbers of attempts and to errors.
func TestAzureAnswers(t *testing.T) {
	for _, c := range []struct {
		status   int
		name     string
		attempts int64
		is       error
		hint     string
	}{
		{http.StatusTooManyRequests, "", 4, nil, ""},
		{http.StatusServiceUnavailable, "ServerBusy", 4, nil, "ServerBusy"},
		{http.StatusInternalServerError, "OperationTimedOut", 4, nil, ""},
		{http.StatusBadRequest, "Crc64Mismatch", 4, nil, ""},
		{http.StatusForbidden, "AuthenticationFailed", 1, fs.ErrPermission, "AZURE_STORAGE_KEY"},
		{http.StatusNotFound, "BlobNotFound", 1, fs.ErrNotExist, ""},
		{http.StatusNotFound, "ContainerNotFound", 1, nil, "create it"},
		{http.StatusBadRequest, "InvalidHeaderValue", 1, nil, "400"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var requests atomic.Int64
			s := azureBehind(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.Header().Set("X-Ms-Error-Code", c.name)
				w.WriteHeader(c.status)
				_, _ = fmt.Fprint(w, "<Error><Message>the string to sign is hunter2</Message></Error>")
			}))
			impatient(s)
			_, statErr := s.Stat(t.Context(), "k")
			_, readErr := s.ReadAll(t.Context(), "k", 10)
			for op, err := range map[string]error{
				"stat": statErr, "read": readErr, "put": s.Put(t.Context(), "k", []byte("x")),
				"list":   s.List(t.Context(), "", func(Info) error { return nil }),
				"upload": write(t.Context(), s, "k", random(1, 2*bucket.PartBytes), 2*bucket.PartBytes),
			} {
				if err == nil || limits.Passing(err) != (c.attempts > 1) || errors.Is(err, fs.ErrNotExist) != (c.is == fs.ErrNotExist) || c.is != nil && !errors.Is(err, c.is) { //nolint:errorlint // which of them is wanted
					t.Errorf("%s: %v", op, err)
				}
				if text := err.Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, c.hint) || strings.Contains(text, "\n") {
					t.Errorf("%s: %v", op, err)
				}
			}
			// The first and the last step of an upload make no request, but count.
			if got := s.Stats().Requests - 2; got != requests.Load() || got != 5*c.attempts {
				t.Errorf("%d requests, %d counted", requests.Load(), got)
			}
		})
	}
}

// TestAzureKeepsItsSignature has no server at all. The error of the client holds
// the URL with the signature, the error of the store must not.
func TestAzureKeepsItsSignature(t *testing.T) {
	at := httptest.NewServer(http.NotFoundHandler())
	at.Close()
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "")
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_ACCOUNT", "account")
	t.Setenv("AZURE_STORAGE_DOMAIN", strings.TrimPrefix(at.URL, "http://"))
	t.Setenv("AZURE_STORAGE_PROTOCOL", "http")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "?sv=1&sig=hunter2")
	s := open(t, "azblob://box/p", Options{Retries: -1})
	err := s.Put(t.Context(), "k", nil)
	if !errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
	_, err = Open(t.Context(), "azblob://box/p?domain=example.com", Options{Limits: limits.New(0)})
	if err == nil || !strings.Contains(err.Error(), "AZURE_STORAGE_SAS_TOKEN") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a URL that leads elsewhere: %v", err)
	}
}

// TestProvidersAskForPauses waits as long as the servers of each provider ask for.
func TestProvidersAskForPauses(t *testing.T) {
	busy := func() http.Handler {
		var requests atomic.Int64
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if requests.Add(1) == 1 {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			w.Header().Set("ETag", `"e"`)
			w.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprint(w, `{"name": "p/k"}`)
		})
	}
	s3 := s3ServerBehind(t, func(http.Handler) http.Handler { return busy() })
	for _, s := range []*Store{gcsBehind(t, busy()), azureBehind(t, busy()), open(t, s3, Options{})} {
		pauses := impatient(s)
		if err := s.Put(t.Context(), "k", nil); err != nil {
			t.Fatal(err)
		}
		var sum time.Duration
		for _, p := range *pauses {
			sum += p
		}
		if sum < 7*time.Second-100*time.Millisecond {
			t.Errorf("%s: paused %v", s.URL(), *pauses)
		}
	}
}

// TestAzureConditions replaces an object in one request and in blocks, on the condition
// that nobody else has written it since. If the server does not tell the version of the
// old object, no block is sent.
func TestAzureConditions(t *testing.T) {
	for name, c := range map[string]struct {
		status        int // of the answer about the old object
		whole, pieces []string
		refused       bool
	}{
		// A put assumes that there is no object. It asks for the version when it is wrong.
		"an object": {http.StatusOK, []string{"If-None-Match *", `If-Match "v1"`}, []string{`If-Match "v1"`}, false},
		"no object": {http.StatusNotFound, []string{"If-None-Match *"}, []string{"If-None-Match *"}, false},
		"no answer": {http.StatusForbidden, []string{"If-None-Match *"}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var got []string
			s := azureBehind(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("ETag", `"v1"`)
				if r.Method == http.MethodHead {
					w.Header().Set("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
					w.Header().Set("X-Ms-Creation-Time", "Wed, 21 Oct 2015 07:28:00 GMT")
					w.WriteHeader(c.status)
					return
				}
				if r.URL.Query().Get("comp") != "block" {
					mu.Lock()
					defer mu.Unlock()
					for _, header := range []string{"If-Match", "If-None-Match"} {
						if value := r.Header.Get(header); value != "" {
							got = append(got, header+" "+value)
						}
					}
				}
				if c.status == http.StatusOK && r.Header.Get("If-None-Match") != "" {
					w.Header().Set("X-Ms-Error-Code", "BlobAlreadyExists")
					w.WriteHeader(http.StatusConflict)
					return
				}
				w.WriteHeader(http.StatusCreated)
			}))
			s.Guard(newGate())
			if err := s.Put(t.Context(), "k", []byte("x")); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(c.whole, got); diff != "" {
				t.Errorf("in one request (-want +got):\n%s", diff)
			}
			got = nil
			if err := write(t.Context(), s, "k", random(1, s.driver.PartSize(0)+1), 1<<20); (err != nil) != c.refused {
				t.Error(err)
			}
			if diff := cmp.Diff(c.pieces, got); diff != "" {
				t.Errorf("in pieces (-want +got):\n%s", diff)
			}
		})
	}
}

// TestArchiveWithoutAccount opens an archive in a place that cannot be opened.
func TestArchiveWithoutAccount(t *testing.T) {
	for _, name := range []string{"AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CONNECTION_STRING"} {
		t.Setenv(name, "")
	}
	if s, err := Open(t.Context(), "azblob://box/a.zip", Options{}); err == nil || s != nil {
		t.Errorf("got %v, %v", s, err)
	}
}
