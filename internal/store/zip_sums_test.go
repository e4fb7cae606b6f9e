//go:build !nos3 && !nogcs && !noazure

package store

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

// TestZipBits flips each bit of an archive. Reading a member then returns an error, or
// the right bytes. Behind a network that does not hold for a part of a member.
func TestZipBits(t *testing.T) {
	want := map[string]string{"stored": noise(40), "deflated": strings.Repeat("hello", 20)}
	data := archive(t, zipFile{"stored", want["stored"], zip.Store}, zipFile{"deflated", want["deflated"], zip.Deflate})
	readers := map[string]func(d driver, key string, size int) ([]byte, error){
		"all": func(d driver, key string, _ int) ([]byte, error) {
			data, _, err := d.readAll(t.Context(), key, 1<<20, allocate)
			return data, err
		},
		"range of all": func(d driver, key string, size int) ([]byte, error) {
			p := make([]byte, size)
			return p, d.read(t.Context(), key, p, 0, Info{})
		},
		"parts": func(d driver, key string, size int) ([]byte, error) {
			p := make([]byte, size)
			err := d.read(t.Context(), key, p[:size/3], 0, Info{})
			return p, errors.Join(err, d.read(t.Context(), key, p[size/3:], int64(size/3), Info{}))
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
func openedArchive(ctx context.Context, data []byte, near bool) (*zipped, error) {
	opt := Options{Memory: new(Memory), Retries: -1}
	folder, err := Open(ctx, "mem://x", opt)
	if err == nil {
		err = folder.Put(ctx, "a.zip", data)
	}
	if err != nil {
		return nil, err
	}
	s, err := Open(ctx, "mem://x/a.zip", opt)
	if err != nil {
		return nil, err
	}
	z, ok := s.driver.(*zipped)
	if !ok {
		return nil, errors.New("no archive")
	}
	z.near = near
	return z, nil
}

// TestZipCheckedOnce reads a member in parts. The whole member is read once for its
// checksum.
func TestZipCheckedOnce(t *testing.T) {
	d, err := openedArchive(t.Context(), archive(t, zipFile{"a", noise(100_000), zip.Store}), true)
	if err != nil {
		t.Fatal(err)
	}
	inner := &countingDriver{driver: d.inner}
	d.inner = inner
	for i := range 10 {
		if err := d.read(t.Context(), "a", make([]byte, 10), int64(i), Info{}); err != nil {
			t.Fatal(err)
		}
	}
	if inner.bytes < 100_000 || inner.bytes > 110_000 {
		t.Errorf("%d bytes were read for ten times 10 of 100,000", inner.bytes)
	}
}

// countingDriver counts the bytes that are read by ranges.
type countingDriver struct {
	driver
	bytes int
}

func (d *countingDriver) read(ctx context.Context, key string, p []byte, off int64, was Info) error {
	d.bytes += len(p)
	return d.driver.read(ctx, key, p, off, was)
}
