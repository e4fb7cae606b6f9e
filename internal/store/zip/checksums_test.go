package zip

import (
	stdzip "archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/memory"
)

// TestZipBits flips each bit of an archive. Reading a member then returns an error, or
// the right bytes. Behind a network that does not hold for a part of a member.
func TestZipBits(t *testing.T) {
	want := map[string]string{"stored": noise(40), "deflated": strings.Repeat("hello", 20)}
	data := archive(t, zipFile{"stored", want["stored"], stdzip.Store}, zipFile{"deflated", want["deflated"], stdzip.Deflate})
	readers := map[string]func(d *Driver, key string, size int) ([]byte, error){
		"all": func(d *Driver, key string, _ int) ([]byte, error) {
			data, _, err := d.ReadAll(t.Context(), key, 1<<20, func(n int) []byte { return make([]byte, n) })
			return data, err
		},
		"range of all": func(d *Driver, key string, size int) ([]byte, error) {
			p := make([]byte, size)
			return p, d.Read(t.Context(), key, p, 0, driver.Info{})
		},
		"parts": func(d *Driver, key string, size int) ([]byte, error) {
			p := make([]byte, size)
			err := d.Read(t.Context(), key, p[:size/3], 0, driver.Info{})
			return p, errors.Join(err, d.Read(t.Context(), key, p[size/3:], int64(size/3), driver.Info{}))
		},
	}
	for name, read := range readers {
		for _, near := range []bool{true, false} {
			found := map[string]int{}
			for bit := range 8 * len(data) {
				damaged := bytes.Clone(data)
				damaged[bit/8] ^= 1 << (bit % 8)
				d, err := openedArchive(t.Context(), damaged, near)
				for key, text := range want {
					var got []byte
					if err == nil {
						if got, err = read(d, key, len(text)); err == nil && string(got) == text {
							continue
						}
					}
					if found[key]++; err == nil && (near || name != "parts") {
						t.Errorf("%s, near is %v: bit %d: %s has other bytes", name, near, bit, key)
					}
				}
			}
			if found["stored"] < 8*len(want["stored"]) {
				t.Errorf("%s, near is %v: only %d bits made a difference", name, near, found["stored"])
			}
		}
	}
}

// openedArchive returns the driver of an archive in memory.
func openedArchive(ctx context.Context, data []byte, near bool) (*Driver, error) {
	at := location.Location{Scheme: "mem", Host: "x"}
	folder := memory.New(at, nil)
	if _, err := folder.Put(ctx, "a.zip", data, driver.Condition{}); err != nil {
		return nil, err
	}
	r := &limits.Requests{At: at, Limits: limits.New(0), Attempts: 1, Patience: time.Minute, Log: slog.New(slog.DiscardHandler)}
	return Open(ctx, folder, near, "a.zip", "", r)
}

// TestZipCheckedOnce reads a member in parts. The whole member is read once for its
// checksum.
func TestZipCheckedOnce(t *testing.T) {
	d, err := openedArchive(t.Context(), archive(t, zipFile{"a", noise(100_000), stdzip.Store}), true)
	if err != nil {
		t.Fatal(err)
	}
	inner := &countingDriver{Driver: d.inner}
	d.inner = inner
	for i := range 10 {
		if err := d.Read(t.Context(), "a", make([]byte, 10), int64(i), driver.Info{}); err != nil {
			t.Fatal(err)
		}
	}
	if inner.bytes < 100_000 || inner.bytes > 110_000 {
		t.Errorf("%d bytes were read for ten times 10 of 100,000", inner.bytes)
	}
}

// TestZipReadsNoMore: a part of a member behind a network is read without the rest of the
// member, and a member that is read whole is read once.
func TestZipReadsNoMore(t *testing.T) {
	const size = 100_000
	for name, test := range map[string]struct {
		near bool
		part int
		most int // bytes of the archive
	}{"a part from far": {false, 10, 1000}, "all from far": {false, size, size + 1000}, "all from near": {true, size, size + 1000}} {
		d, err := openedArchive(t.Context(), archive(t, zipFile{"a", noise(size), stdzip.Store}), test.near)
		if err != nil {
			t.Fatal(err)
		}
		inner := &countingDriver{Driver: d.inner}
		d.inner = inner
		if err := d.Read(t.Context(), "a", make([]byte, test.part), 0, driver.Info{}); err != nil {
			t.Fatal(err)
		}
		if inner.bytes < test.part || inner.bytes > test.most {
			t.Errorf("%s: %d bytes were read for %d", name, inner.bytes, test.part)
		}
	}
}

// countingDriver counts the bytes that are read by ranges.
type countingDriver struct {
	driver.Driver
	bytes int
}

func (d *countingDriver) Read(ctx context.Context, key string, p []byte, off int64, was driver.Info) error {
	d.bytes += len(p)
	return d.Driver.Read(ctx, key, p, off, was)
}

// zipFile is a member for archive.
type zipFile struct {
	name, text string
	method     uint16
}

// archive returns a zip archive.
func archive(t testing.TB, files ...zipFile) []byte {
	t.Helper()
	var b bytes.Buffer
	w := stdzip.NewWriter(&b)
	for _, f := range files {
		m, err := w.CreateHeader(&stdzip.FileHeader{Name: f.name, Method: f.method})
		if err == nil && f.text != "" {
			_, err = io.WriteString(m, f.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// noise returns a text that hardly compresses.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	return string(text)
}

// TestLongName reads a member whose name is longer than what is read with its header.
func TestLongName(t *testing.T) {
	name := strings.Repeat("folder/", 400) + "x"
	d, err := openedArchive(t.Context(), archive(t, zipFile{"before", noise(10_000), stdzip.Store}, zipFile{name, "x", stdzip.Store}, zipFile{"behind", noise(10_000), stdzip.Store}), false)
	if err != nil {
		t.Fatal(err)
	}
	if p := make([]byte, 1); d.Read(t.Context(), name, p, 0, driver.Info{}) != nil || string(p) != "x" {
		t.Errorf("got %q", p)
	}
}

// TestMissingMember: a member that is not there has no checksum, and a place that has gone
// describes none.
func TestMissingMember(t *testing.T) {
	d, err := openedArchive(t.Context(), archive(t, zipFile{"a", "x", stdzip.Store}), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Check(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := d.inner.Delete(t.Context(), "a.zip"); err != nil {
		t.Fatal(err)
	}
	if info, err := d.Stat(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%+v, %v", info, err)
	}
	broken := errors.New("broken")
	d.inner = closing{d.inner, broken}
	if err := d.Close(); !errors.Is(err, broken) {
		t.Errorf("close: %v", err)
	}
}

// closing is a driver whose Close fails.
type closing struct {
	driver.Driver
	err error
}

func (d closing) Close() error { return d.err }

// TestManyChecked remembers each of many members by itself.
func TestManyChecked(t *testing.T) {
	const n = 200
	s := newCheckedMembers(n)
	for i := range n {
		if s.has(i) {
			t.Fatalf("member %d counts as checked after %d of them", i, i)
		}
		s.add(i)
		if !s.has(i) {
			t.Fatalf("member %d is forgotten", i)
		}
	}
}

// TestCheckOfDamaged: Check looks at the header, the contents and the size of a member.
func TestCheckOfDamaged(t *testing.T) {
	sound := archive(t, zipFile{"a", strings.Repeat("hello", 100), stdzip.Deflate})
	central := bytes.Index(sound, []byte("PK\x01\x02"))
	for name, at := range map[string]int{"nothing": -1, "header": 0, "contents": localHeaderSize + 2, "size": central + 24, "checksum": central + 16} {
		data := bytes.Clone(sound)
		if at >= 0 {
			data[at] ^= 0xff
		}
		d, err := openedArchive(t.Context(), data, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Check(t.Context(), "a"); (err == nil) != (at < 0) || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
