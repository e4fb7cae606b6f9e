package netcdf_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/netcdf"
)

// sparse is a file that consists of zeros, except in some extents; testdata/make_big.py
// writes the extents.
type sparse struct {
	size    int64
	extents []extent
	at      int64
}

type extent struct {
	at   int64
	data []byte
}

func readSparse(t *testing.T, name string) *sparse {
	t.Helper()
	compressed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	s := &sparse{}
	if err := binary.Read(r, binary.LittleEndian, &s.size); err != nil {
		t.Fatal(err)
	}
	for {
		var head [2]int64 // offset, length
		err := binary.Read(r, binary.LittleEndian, &head)
		if errors.Is(err, io.EOF) {
			return s
		}
		e := extent{head[0], make([]byte, head[1])}
		if err == nil {
			_, err = io.ReadFull(r, e.data)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.extents = append(s.extents, e)
	}
}

func (s *sparse) Read(p []byte) (int, error) {
	if s.at >= s.size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), s.size-s.at)]
	clear(p)
	for _, e := range s.extents {
		begin, end := max(e.at, s.at), min(e.at+int64(len(e.data)), s.at+int64(len(p)))
		if begin < end {
			copy(p[begin-s.at:], e.data[begin-e.at:end-e.at])
		}
	}
	s.at += int64(len(p))
	return len(p), nil
}

func (s *sparse) Seek(offset int64, whence int) (int64, error) {
	s.at = offset + [...]int64{io.SeekStart: 0, io.SeekCurrent: s.at, io.SeekEnd: s.size}[whence]
	return s.at, nil
}

// TestTenGigabytes has a file of 10 GB on a server, with 25 variables of 400 chunks
// each. It counts the requests that open the file and find all of its chunks.
func TestTenGigabytes(t *testing.T) {
	const (
		open  = 50 // requests for all headers and attributes
		index = 8  // requests for the index of a variable, and for the chunk that is read
	)
	for _, name := range []string{"big_v108", "big_v110"} {
		file := readSparse(t, filepath.Join("testdata", name+".extents.gz"))
		var requests atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			http.ServeContent(w, r, "big.nc", time.Time{}, &sparse{size: file.size, extents: file.extents})
		}))
		src, err := netcdf.OpenAll(t.Context(), []string{server.URL + "/big.nc"}, netcdf.Options{Kept: all})
		if err != nil {
			t.Fatal(err)
		}
		opened := requests.Swap(0)
		var bytes, found int64
		for _, path := range src.Arrays() {
			a, err := src.Array(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			info := a.Info()
			n, _ := ndarray.Bytes(info.Type, info.Shape)
			bytes += int64(n)
			one, last := make([]int, len(info.Shape)), make([]int, len(info.Shape))
			for k, extent := range info.Shape {
				one[k], last[k] = 1, extent-1
			}
			if err := a.ReadRegion(t.Context(), ndarray.New(info.Type, one), last); err != nil {
				t.Fatal(err)
			}
			found++
		}
		t.Logf("%s: %d requests to open it, %d to find the chunks of %d arrays of %d bytes", name, opened, requests.Load(), found, bytes)
		if bytes < 10e9 || opened > open || requests.Load() > found*index {
			t.Errorf("%s: %d bytes, %d requests to open it, want at most %d, and %d for %d arrays, want at most %d for each", name, bytes, opened, open, requests.Load(), found, index)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	}
}
