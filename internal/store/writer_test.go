//go:build !nos3 && !nogcs && !noazure

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// random returns bytes that repeat nowhere.
func random(seed uint64, n int) []byte {
	var key [32]byte
	key[0] = byte(seed)
	data := make([]byte, n)
	_, _ = rand.NewChaCha8(key).Read(data) // never fails
	return data
}

// write sends data through a Writer in pieces of a size, and closes it.
func write(ctx context.Context, s *Store, key string, data []byte, piece int) error {
	w, err := s.NewWriter(ctx, key)
	if err != nil {
		return err
	}
	for p := range slices.Chunk(data, piece) {
		if n, err := w.Write(p); err != nil || n != len(p) {
			return errors.Join(fmt.Errorf("%d of %d bytes: %w", n, len(p), err), w.Abort())
		}
	}
	if err := w.Close(); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Abort() // does nothing
}

// unfinished counts what is staged, or uploaded in part, of objects of the store.
func unfinished(t *testing.T, s *Store) int {
	t.Helper()
	if s.Local() {
		entries, err := os.ReadDir(s.at.Path + ".zmigrate/staging")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return len(entries)
	}
	if s.at.Scheme != "s3" {
		return 0 // uploads of other providers are in no list
	}
	region := s.at.Query.Get("region")
	if region == "" {
		region = "us-east-1"
	}
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion(region))
	if err != nil {
		t.Fatal(err)
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = true
		o.BaseEndpoint = aws.String(s.at.Query.Get("endpoint"))
	})
	out, err := client.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{
		Bucket: &s.at.Host, Prefix: aws.String(s.at.Key("")),
	})
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok && response.HTTPStatusCode() == http.StatusNotFound {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Uploads)
}

// unfinishedAfterClean counts what Clean leaves of an upload that was given up while parts were
// in flight. A real server may store such a part after it has dropped the upload, and then
// lists the upload again (AbortMultipartUpload in the API reference of Amazon S3).
func unfinishedAfterClean(t *testing.T, s *Store) int {
	t.Helper()
	n := unfinished(t, s)
	for deadline := time.Now().Add(time.Minute); n != 0 && time.Now().Before(deadline); n = unfinished(t, s) {
		if err := s.Clean(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// threeParts is the size of an object of three parts, the last of them short.
func threeParts(s *Store) int { return s.driver.PartSize(0) + s.driver.PartSize(1) + 100 }

func checkPieces(t *testing.T, s *Store) {
	part := s.driver.PartSize(0)
	for _, object := range []struct {
		size   int
		pieces []int
	}{
		{0, []int{1}},
		{1, []int{1}},
		{part - 1, []int{300_007}},
		{part, []int{300_007, part}},
		{part + 1, []int{4097}},
		{2 * part, []int{part}},
		{20<<20 + 7, []int{300_007, 20 << 20}},
	} {
		size, want := object.size, random(uint64(object.size), object.size)
		for _, piece := range object.pieces {
			if err := write(t.Context(), s, "a/b", want, piece); err != nil {
				t.Fatal(err)
			}
			put(t, s, nil)
			got, err := s.ReadAll(t.Context(), "a/b", 1<<30)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes in pieces of %d: %d other bytes, %v", size, piece, len(got), err)
			}
		}
	}
	if n := unfinished(t, s); n != 0 {
		t.Errorf("%d unfinished", n)
	}
	if diff := cmp.Diff([]string{"a/b"}, keys(t, s, "")); diff != "" {
		t.Error(diff)
	}
}

func checkReplacedInPieces(t *testing.T, s *Store) {
	put(t, s, map[string]string{"k": "old"})
	data := random(1, threeParts(s))
	w, err := s.NewWriter(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	borrowed := bytes.Clone(data)
	if _, err := w.Write(borrowed); err != nil {
		t.Fatal(err)
	}
	clear(borrowed)
	put(t, s, nil)
	if got := get(t, s, "k"); got != "old" {
		t.Errorf("before Close there are %d bytes", len(got))
	}
	before := s.Stats().BytesWritten
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, s, nil)
	if got := get(t, s, "k"); got != string(data) {
		t.Errorf("after Close there are %d other bytes", len(got))
	}
	if got := s.Stats().BytesWritten; got != before+100 && s.parts < 2 || got != 3+int64(len(data)) {
		t.Errorf("%d bytes written, %d before Close", got, before)
	}
}

func checkGivenUp(t *testing.T, s *Store) { checkGivenUpLeaves(t, s, unfinished) }

// checkGivenUpLeaves wants an object that is given up to leave nothing that left counts.
func checkGivenUpLeaves(t *testing.T, s *Store, left func(*testing.T, *Store) int) {
	t.Helper()
	for _, size := range []int{0, 10, threeParts(s)} {
		w, err := s.NewWriter(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(random(1, size)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := w.Abort(); err != nil {
				t.Errorf("abort after %d bytes: %v", size, err)
			}
			if w.buffer != nil {
				t.Errorf("after %d bytes: the writer keeps its buffer", size)
			}
		}
		if n := left(t, s); n != 0 {
			t.Errorf("%d unfinished after %d bytes", n, size)
		}
	}
	put(t, s, nil)
	if got := keys(t, s, ""); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
}

func checkManyWriters(t *testing.T, s *Store) {
	const writers = 3
	var g errgroup.Group
	size := threeParts(s)
	for i := range writers {
		g.Go(func() error {
			return write(t.Context(), s, fmt.Sprintf("many/%d", i), random(uint64(i), size-i), 300_000)
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	put(t, s, nil)
	for i := range writers {
		if got := get(t, s, fmt.Sprintf("many/%d", i)); got != string(random(uint64(i), size-i)) {
			t.Errorf("object %d is another", i)
		}
	}
	if n := unfinished(t, s); n != 0 {
		t.Errorf("%d unfinished", n)
	}
}

func checkWriterLife(t *testing.T, s *Store) {
	for _, size := range []int{10, threeParts(s)} {
		for _, end := range []func(*Writer) error{(*Writer).Close, (*Writer).Abort} {
			w, err := s.NewWriter(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(random(1, size)); err != nil {
				t.Fatal(err)
			}
			if err := end(w); err != nil {
				t.Fatal(err)
			}
			if n, err := w.Write([]byte("x")); n != 0 || !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%d bytes written after the end, %v", n, err)
			}
			if err := w.Close(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("closed after the end: %v", err)
			}
			if err := w.Abort(); err != nil {
				t.Errorf("abort after the end: %v", err)
			}
		}
	}
	put(t, s, nil)
	if got := get(t, s, "k"); got != string(random(1, threeParts(s))) {
		t.Error("the object is not the one of the last Close")
	}
}

// A large piece of a local file is not copied into a buffer.
func TestWriterDirect(t *testing.T) {
	s := open(t, t.TempDir()+"/s", Options{})
	w, err := s.NewWriter(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort() //nolint:errcheck // does nothing after Close
	sizes := []int{directPart, directPart - 1, 1, 3 * directPart, 8*directPart + 1, 4*directPart - 1, directPart}
	collected := []bool{false, true, true, true, true, true, false} // whether bytes are in the buffer after the piece
	data, at := random(1, 20*directPart), 0
	for i, n := range sizes {
		if _, err := w.Write(data[at : at+n]); err != nil {
			t.Fatal(err)
		}
		if at += n; (len(w.buffer) > 0) != collected[i] {
			t.Errorf("after a piece of %d bytes, number %d, %d bytes are collected", n, i, len(w.buffer))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, s, nil)
	if got := get(t, s, "k"); got != string(data[:at]) {
		t.Error("the object has other bytes than the pieces")
	}
}

func checkWriterKeys(t *testing.T, s *Store) {
	for _, key := range []string{"", "/a", "a/../b", "a\nb"} {
		if w, err := s.NewWriter(t.Context(), key); w != nil || !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", key, err)
		}
	}
	key := strings.Join(oddKeys(t, s, "a b", "ü/日本", "%41", "q?x=1&y", "#"), "/")
	data := random(1, s.driver.PartSize(0)+1) // two parts
	if err := write(t.Context(), s, key, data, 1<<20); err != nil {
		t.Fatal(err)
	}
	put(t, s, nil)
	if got := get(t, s, key); got != string(data) {
		t.Errorf("%q holds something else", key)
	}
}

func checkWriterCancelled(t *testing.T, s *Store) { checkWriterCancelledLeaves(t, s, unfinished) }

// checkWriterCancelledLeaves wants an object whose context ends to leave nothing that left
// counts.
func checkWriterCancelledLeaves(t *testing.T, s *Store, left func(*testing.T, *Store) int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w, err := s.NewWriter(ctx, "k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(random(1, threeParts(s))); err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 2 {
		if err := w.Close(); !errors.Is(err, context.Canceled) {
			t.Errorf("close: %v", err)
		}
	}
	if err := w.Abort(); err != nil {
		t.Errorf("abort: %v", err)
	}
	if n := left(t, s); n != 0 {
		t.Errorf("%d unfinished", n)
	}
	if w, err := s.NewWriter(ctx, "k"); w != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("new: %v", err)
	}
}

// growing is a driver whose parts grow quickly.
type growing struct {
	driver.Driver
	sent []int
}

func (d *growing) PartSize(n int) int { return 3 << (n / 2) }

func (d *growing) Begin(ctx context.Context, key string, when driver.Condition) (driver.Upload, error) {
	up, err := d.Driver.Begin(ctx, key, when)
	return &growingUpload{up, d}, err
}

type growingUpload struct {
	driver.Upload
	d *growing
}

func (u *growingUpload) Part(ctx context.Context, n int, data []byte) error {
	u.d.sent = append(u.d.sent, len(data))
	return u.Upload.Part(ctx, n, data)
}

func TestWriterWithGrowingParts(t *testing.T) {
	s := open(t, "mem://name", Options{})
	for _, piece := range []int{1, 2, 100} {
		d := &growing{Driver: s.driver}
		s.driver = d
		data := random(1, 40)
		if err := write(t.Context(), s, "k", data, piece); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{3, 3, 6, 6, 12, 10}, d.sent); diff != "" {
			t.Errorf("pieces of %d: parts (-want +got):\n%s", piece, diff)
		}
		if got := get(t, s, "k"); got != string(data) {
			t.Errorf("pieces of %d: holds something else", piece)
		}
		s.driver = d.Driver
	}
}

// TestWriterBytes: WriterBytes, which opens no store, returns what a Writer of the opened
// store takes.
func TestWriterBytes(t *testing.T) {
	for _, url := range []string{filepath.Join(t.TempDir(), "root"), "mem://name/deep", s3Server(t), "gs://b/x?anonymous=true", "azblob://b/x?anonymous=true&storage_account=a"} {
		s := open(t, url, Options{})
		if got, want := WriterBytes(url, 1, 1<<40), s.driver.PartSize(0); got != want {
			t.Errorf("%s: %d bytes, its parts have %d", url, got, want)
		}
	}
	for size, want := range map[int]int{0: 1, 1: 1, bucket.PartBytes: 1, bucket.PartBytes + 1: 2, 3 * bucket.PartBytes: 3, math.MaxInt: 3} {
		if s3, gs := WriterBytes("s3://b/x", 3, size), WriterBytes("gs://b/x", 3, size); s3 != want*bucket.PartBytes || gs != bucket.PartBytes {
			t.Errorf("an object of up to %d bytes: %d bytes, %d in order", size, s3, gs)
		}
	}
	if got := WriterBytes("gopher://nowhere", 1, 1); got != 0 {
		t.Errorf("no store: %d bytes", got)
	}
}

// forgetfulGCS answers as Google Cloud Storage would, and keeps nothing.
func forgetfulGCS(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // a broken request fails at the client
	w.Header().Set("Location", "http://"+r.Host+"/session")
	span, total, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Content-Range"), "bytes "), "/")
	if total == "*" {
		_, last, _ := strings.Cut(span, "-")
		w.Header().Set("Range", "bytes=0-"+last)
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	if total == "" { // the object comes in one request
		_, _ = io.WriteString(w, `{"name": "k"}`)
		return
	}
	_, _ = fmt.Fprintf(w, `{"size": %q}`, total)
}

// forgetfulAzure answers as Azure would, and keeps nothing.
func forgetfulAzure(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("ETag", `"e"`)
	w.WriteHeader(http.StatusCreated)
}

// allocated returns how many bytes f allocates.
func allocated(t *testing.T, f func() error) int {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := f(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestWriterMemory writes far more than a Writer may hold, in pieces and at once. The
// race detector drops some of the pooled buffers, and so may the garbage collector.
func TestWriterMemory(t *testing.T) {
	const size, limit = 200 << 20, 120 << 20
	for place, s := range map[string]*Store{
		"local":  open(t, filepath.Join(t.TempDir(), "root"), Options{}),
		"s3":     open(t, s3ServerBehind(t, forgetful), Options{}),
		"gs":     gcsBehind(t, http.HandlerFunc(forgetfulGCS)),
		"azblob": azureBehind(t, http.HandlerFunc(forgetfulAzure)),
	} {
		s.parts = 2
		piece := random(1, 1<<20)
		if err := write(t.Context(), s, "first", piece, 1000); err != nil { // opens connections
			t.Fatal(err)
		}
		w, err := s.NewWriter(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		pieces := allocated(t, func() error {
			for range size / len(piece) {
				if _, err := w.Write(piece); err != nil {
					return err
				}
			}
			return w.Close()
		})
		whole := random(1, 24<<20)
		atOnce := allocated(t, func() error { return s.Put(t.Context(), "k", whole) })
		t.Logf("%s: %d KiB, at once %d KiB", place, pieces>>10, atOnce>>10)
		if pieces > limit || atOnce > 4<<20 {
			t.Errorf("%s: %d MiB allocated for an object of %d MiB in pieces, %d MiB for one of 24 MiB at once", place, pieces>>20, size>>20, atOnce>>20)
		}
	}
}
