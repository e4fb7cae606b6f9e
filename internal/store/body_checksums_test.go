//go:build !nos3 && !nogcs && !noazure

package store

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"testing/iotest"

	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// sumServer answers each GET with some bytes, and with the headers of the bytes that it
// should have sent.
type sumServer struct {
	sent    []byte
	headers http.Header
}

func (s *sumServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
	w.Header().Set("ETag", `"e-1"`)
	w.Header().Set("Content-Length", strconv.Itoa(len(s.sent)))
	maps.Copy(w.Header(), s.headers)
	_, _ = w.Write(s.sent)
}

// TestBodySums reads objects in which a bit has flipped: on the way, or since the server
// computed the checksum.
func TestBodySums(t *testing.T) {
	data := []byte("any bytes, but these")
	crc := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.Checksum(data, remote.Castagnoli)))
	sum := md5.Sum(data)
	for name, test := range map[string]struct {
		scheme string
		header http.Header
		found  bool
	}{
		"s3 crc32c":      {"s3", http.Header{"X-Amz-Checksum-Crc32c": {crc}}, true},
		"s3 ETag":        {"s3", http.Header{"Etag": {fmt.Sprintf(`"%x"`, sum)}}, true},
		"s3 parts":       {"s3", http.Header{"Etag": {fmt.Sprintf(`"%x-2"`, sum)}}, false},
		"s3 kms":         {"s3", http.Header{"Etag": {fmt.Sprintf(`"%x"`, sum)}, "X-Amz-Server-Side-Encryption": {"aws:kms"}}, false},
		"s3 kms key":     {"s3", http.Header{"Etag": {fmt.Sprintf(`"%x"`, sum)}, "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id": {"key"}}, false},
		"s3 customer":    {"s3", http.Header{"Etag": {fmt.Sprintf(`"%x"`, sum)}, "X-Amz-Server-Side-Encryption-Customer-Algorithm": {"AES256"}}, false},
		"s3 composite":   {"s3", http.Header{"Etag": {fmt.Sprintf(`"%x"`, sum)}, "X-Amz-Checksum-Type": {"COMPOSITE"}}, false},
		"gs crc32c":      {"gs", http.Header{"X-Goog-Hash": {"crc32c=" + crc, "md5=x"}}, true},
		"azblob md5":     {"azblob", http.Header{"Content-Md5": {base64.StdEncoding.EncodeToString(sum[:])}}, true},
		"http goog":      {"http", http.Header{"X-Goog-Hash": {"md5=x, crc32c=" + crc}}, true},
		"http goog gzip": {"http", http.Header{"X-Goog-Hash": {"crc32c=" + crc}, "X-Goog-Stored-Content-Encoding": {"gzip"}}, false},
		"http md5":       {"http", http.Header{"Content-Md5": {base64.StdEncoding.EncodeToString(sum[:])}}, true},
		"http nothing":   {"http", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := &sumServer{sent: data, headers: test.header}
			s := openAt(t, test.scheme, server)
			if got := get(t, s, "k"); got != string(data) {
				t.Fatalf("got %q", got)
			}
			for bit := range 8 * len(data) {
				server.sent = bytes.Clone(data)
				server.sent[bit/8] ^= 1 << (bit % 8)
				if got, err := s.ReadAll(t.Context(), "k", 100); (err != nil) != test.found {
					t.Errorf("bit %d: %q, %v", bit, got, err)
				}
			}
		})
	}
}

// openAt opens a store of a provider whose server is the test's own.
func openAt(t *testing.T, scheme string, server http.Handler) *Store {
	t.Helper()
	at := httptest.NewServer(server)
	t.Cleanup(at.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("STORAGE_EMULATOR_HOST", at.URL)
	for name, value := range map[string]string{
		"AZURE_STORAGE_ACCOUNT": "", "AZURE_STORAGE_KEY": "", "AZURE_STORAGE_SAS_TOKEN": "",
		"AZURE_STORAGE_CONNECTION_STRING": "BlobEndpoint=" + at.URL + ";SharedAccessSignature=sv=1&sig=hunter2",
	} {
		t.Setenv(name, value)
	}
	return open(t, map[string]string{
		"s3": "s3://bucket/p?use_path_style=true&region=eu-west-1&endpoint=" + url.QueryEscape(at.URL),
		"gs": "gs://bucket/p", "azblob": "azblob://box/p", "http": at.URL,
	}[scheme], Options{Retries: -1})
}

// TestBodyETagIsNoSum reads from a server whose ETags look like an MD5 and are not.
func TestBodyETagIsNoSum(t *testing.T) {
	server := &sumServer{sent: []byte("one"), headers: http.Header{"Etag": {`"0123456789abcdef0123456789abcdef"`}}}
	s := openAt(t, "s3", server)
	for _, text := range []string{"one", "two"} {
		server.sent = []byte(text)
		if got := get(t, s, "k"); got != text {
			t.Errorf("got %q", got)
		}
	}
}

// TestReadBody looks at errors that come with the last bytes or after them.
func TestReadBody(t *testing.T) {
	bad := errors.New("another checksum")
	for name, test := range map[string]struct {
		body io.Reader
		want error
	}{
		"sound":             {bytes.NewReader([]byte("abc")), nil},
		"end with the data": {iotest.DataErrReader(bytes.NewReader([]byte("abc"))), nil},
		"one by one":        {iotest.OneByteReader(bytes.NewReader([]byte("abc"))), nil},
		"short":             {bytes.NewReader([]byte("ab")), io.ErrUnexpectedEOF},
		"error behind":      {io.MultiReader(bytes.NewReader([]byte("abc")), iotest.ErrReader(bad)), bad},
		"error with":        {iotest.DataErrReader(io.MultiReader(bytes.NewReader([]byte("abc")), iotest.ErrReader(bad))), bad},
	} {
		p := make([]byte, 3)
		if err := remote.ReadBody(test.body, p); !errors.Is(err, test.want) || test.want == nil && string(p) != "abc" {
			t.Errorf("%s: %q, %v", name, p, err)
		}
	}
	if err := remote.ReadBody(bytes.NewReader([]byte("abcd")), make([]byte, 3)); err == nil {
		t.Error("a longer body is taken")
	}
}
