package zip

import (
	stdzip "archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/location"
)

// TestIn cuts paths at the name of an archive.
func TestIn(t *testing.T) {
	for _, c := range []struct {
		scheme, path         string
		folder, name, inside string
		ok                   bool
	}{
		{"", "/a.zip", "/", "a.zip", "", true}, {"", "/d/a.zip/b/c", "/d/", "a.zip", "b/c", true}, {"", "/d/zip", "/d/zip", "", "", false},
		{"s3", "p/a.zip/b", "p", "a.zip", "b", true}, {"s3", "a.zip", "", "a.zip", "", true}, {"file", "/d/a.zip", "/d/", "a.zip", "", true},
	} {
		folder, name, inside, ok := In(location.Location{Scheme: c.scheme, Path: c.path})
		if folder.Path != c.folder || name != c.name || inside != c.inside || ok != c.ok {
			t.Errorf("%s %s: %q, %q, %q, %t", c.scheme, c.path, folder.Path, name, inside, ok)
		}
	}
}

var errBroken = errors.New("broken")

// breaking is a driver that describes or reads nothing.
type breaking struct {
	driver.Driver
	stat, read bool
}

func (d breaking) Stat(ctx context.Context, key string) (driver.Info, error) {
	if d.stat {
		return driver.Info{}, errBroken
	}
	return d.Driver.Stat(ctx, key)
}

func (d breaking) Read(ctx context.Context, key string, p []byte, off int64, was driver.Info) error {
	if d.read {
		return errBroken
	}
	return d.Driver.Read(ctx, key, p, off, was)
}

// TestBrokenArchive: the error of the place where an archive lies is that of every call.
func TestBrokenArchive(t *testing.T) {
	text := strings.Repeat("hello", 100)
	data := archive(t, zipFile{"deflated", text, stdzip.Deflate}, zipFile{"stored", text, stdzip.Store})
	for _, near := range []bool{true, false} {
		d, err := openedArchive(t.Context(), data, near)
		if err != nil {
			t.Fatal(err)
		}
		inner := d.inner
		for _, is := range []breaking{{inner, true, false}, {inner, false, true}} {
			r := &limits.Requests{At: location.Location{Scheme: "mem"}, Limits: limits.New(0), Attempts: 1}
			if opened, err := Open(t.Context(), is, near, "a.zip", "", r); !errors.Is(err, errBroken) {
				t.Errorf("opened %v, %v", opened, err)
			}
		}
		d.inner = breaking{inner, false, true}
		for _, key := range []string{"deflated", "stored"} {
			_, _, all := d.ReadAll(t.Context(), key, 1000, func(n int) []byte { return make([]byte, n) })
			for name, err := range map[string]error{
				"all": all, "check": d.Check(t.Context(), key), "whole": d.Read(t.Context(), key, make([]byte, len(text)), 0, driver.Info{}),
				"part": d.Read(t.Context(), key, make([]byte, 4), 1, driver.Info{}),
			} {
				if !errors.Is(err, errBroken) {
					t.Errorf("%s of %s, near: %t: %v", name, key, near, err)
				}
			}
		}
	}
}

// TestDamagedMembers changes the headers of members, which lie behind a longer one.
func TestDamagedMembers(t *testing.T) {
	text := strings.Repeat("hello", 100)
	sound := archive(t, zipFile{"before", noise(10_000), stdzip.Store},
		zipFile{"empty", "", stdzip.Store}, zipFile{"stored", text, stdzip.Store}, zipFile{"deflated", text, stdzip.Deflate})
	local := func(data []byte, key string) []byte { return data[bytes.Index(data, []byte(key))-localHeaderSize:] }
	central := func(data []byte, key string) []byte {
		return data[bytes.LastIndex(data, []byte(key))-centralHeaderSize:]
	}
	for name, change := range map[string]func(data []byte, key string){
		"nothing":      nil,
		"a name":       func(data []byte, key string) { local(data, key)[localHeaderSize] ^= 1 },
		"long extras":  func(data []byte, key string) { binary.LittleEndian.PutUint16(local(data, key)[28:], 1<<16-1) },
		"extras":       func(data []byte, key string) { binary.LittleEndian.PutUint16(local(data, key)[28:], 2000) },
		"a signature":  func(data []byte, key string) { local(data, key)[0] = 'X' },
		"packed, less": func(data []byte, key string) { central(data, key)[20]-- },
	} {
		for _, key := range []string{"empty", "stored", "deflated"} {
			for _, near := range []bool{true, false} {
				data := bytes.Clone(sound)
				if change != nil {
					change(data, key)
				}
				d, err := openedArchive(t.Context(), data, near)
				if err != nil {
					t.Fatal(err)
				}
				_, _, err = d.ReadAll(t.Context(), key, 1000, func(n int) []byte { return make([]byte, n) })
				if (err == nil) != (change == nil) || err != nil && !errors.Is(err, ErrDamaged) {
					t.Errorf("%s of %s: %v", name, key, err)
				}
				if err := d.Check(t.Context(), key); (err == nil) != (change == nil) || err != nil && !errors.Is(err, ErrDamaged) {
					t.Errorf("%s of %s: %v by Check", name, key, err)
				}
			}
		}
	}
}

// TestEndsOfMembers: a range may end with the member, and a limit may be its size.
func TestEndsOfMembers(t *testing.T) {
	d, err := openedArchive(t.Context(), archive(t, zipFile{"deflated", "hello", stdzip.Deflate}, zipFile{"stored", "hello", stdzip.Store}, zipFile{"behind", "more", stdzip.Store}), false)
	if err != nil {
		t.Fatal(err)
	}
	allocate := func(n int) []byte { return make([]byte, n) }
	for _, key := range []string{"deflated", "stored"} {
		for off, want := range map[int64]error{3: nil, 4: io.ErrUnexpectedEOF, 5: io.ErrUnexpectedEOF} {
			p := make([]byte, 2)
			if err := d.Read(t.Context(), key, p, off, driver.Info{}); !errors.Is(err, want) || err == nil && string(p) != "lo" {
				t.Errorf("%s from %d on: %q, %v", key, off, p, err)
			}
		}
		if data, _, err := d.ReadAll(t.Context(), key, 5, allocate); string(data) != "hello" || err != nil {
			t.Errorf("%s: %q, %v", key, data, err)
		}
		if data, _, err := d.ReadAll(t.Context(), key, 4, allocate); !errors.Is(err, driver.ErrTooLarge) {
			t.Errorf("%s: %q, %v", key, data, err)
		}
	}
	if _, _, err := d.ReadAll(t.Context(), "none", 5, allocate); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestLongExtras reads members behind more extra fields than are read with a header.
func TestLongExtras(t *testing.T) {
	var text bytes.Buffer
	w := stdzip.NewWriter(&text)
	for name, method := range map[string]uint16{"stored": stdzip.Store, "deflated": stdzip.Deflate} {
		m, err := w.CreateHeader(&stdzip.FileHeader{Name: name, Method: method, Extra: append([]byte{9, 9, 200, 0}, make([]byte, 200)...)})
		if err == nil {
			_, err = io.WriteString(m, "hello")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := openedArchive(t.Context(), text.Bytes(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"stored", "deflated"} {
		if data, _, err := d.ReadAll(t.Context(), key, 5, func(n int) []byte { return make([]byte, n) }); string(data) != "hello" || err != nil {
			t.Errorf("%s: %q, %v", key, data, err)
		}
	}
}
