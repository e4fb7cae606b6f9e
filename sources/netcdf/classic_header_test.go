package netcdf

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/netcdftype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
	"github.com/zmigrate/zmigrate/zarr"
)

func TestVersionsAndStreaming(t *testing.T) {
	for _, version := range []byte{1, 2, 5} {
		for _, streaming := range []bool{false, true} {
			for _, cut := range []int{0, 2} { // the last record's padding is 2 bytes
				t.Run(fmt.Sprintf("CDF-%d streaming=%v cut=%d", version, streaming, cut), func(t *testing.T) {
					records := uint64(4)
					if streaming {
						records = math.MaxUint64
					}
					file := small(version, records).encode(4)
					src, err := openSource(t, Options{}, save(t, "f.nc", file[:len(file)-cut]))
					if err != nil {
						t.Fatal(err)
					}
					sourcetest.Run(t, src)
					a, err := src.Array(t.Context(), "field")
					if err != nil {
						t.Fatal(err)
					}
					if want := []int{4, 3, 5}; !slices.Equal(a.Info().Shape, want) {
						t.Errorf("shape %v, want %v", a.Info().Shape, want)
					}
				})
			}
		}
	}
}

// TestRecordCount has files whose size says how many records there are.
func TestRecordCount(t *testing.T) {
	c := small(2, math.MaxUint64)
	file := c.encode(3)
	const record = 4 + 32 // bytes padded to 4, and 15 int16 padded to 32 bytes
	for cut, want := range map[int]int{0: 3, 2: 3, 3: 2, record: 2, record + 3: 1, 2 * record: 1, 2*record + 3: 0, 3 * record: 0} {
		h, err := parseHeader(file, int64(len(file)-cut))
		if err != nil {
			t.Fatal(err)
		}
		if got := h.dims[0].length; got != want {
			t.Errorf("without the last %d bytes: %d records, want %d", cut, got, want)
		}
	}
}

// TestTruncated cuts a file at every byte. Then the file cannot be opened, or every
// variable reports that it is cut off, or the variable can be read.
func TestTruncated(t *testing.T) {
	for _, version := range []byte{1, 2, 5} {
		c := small(version, 2)
		file := c.encode(2)
		head := len(c.header())
		for n := range len(file) {
			src, err := openSource(t, Options{}, save(t, "f.nc", file[:n]))
			if n < head {
				if err == nil || !strings.Contains(err.Error(), "f.nc") {
					t.Fatalf("CDF-%d, %d of %d bytes: got %v", version, n, head, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("CDF-%d, %d bytes: %v", version, n, err)
			}
			for i, v := range c.vars {
				a, err := src.Array(t.Context(), v.name)
				whole := v.begin + int64(v.slab)
				if i >= 3 {
					whole += 4 + 32
				}
				if n < int(whole) {
					if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("truncated: the file has %d bytes", n)) {
						t.Fatalf("CDF-%d, %d bytes: variable %s: got %v", version, n, v.name, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("CDF-%d, %d bytes: variable %s: %v", version, n, v.name, err)
				}
				sourcetest.ReadAll(t, a)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	lie := func(change func(*classic)) []byte {
		c := small(5, 1)
		change(c)
		return c.header()
	}
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"empty":              {nil, "not a NetCDF file"},
		"text":               {[]byte("lat,lon\n1,2\n"), `not a NetCDF file: it begins with "lat,lon\n"`},
		"version":            {[]byte("CDF\x03\x00\x00\x00\x00"), "version 3: want 1, 2 or 5"},
		"HDF5":               {[]byte("\x89HDF\r\n\x1a\n\x09......."), "superblock at byte 0: version 9"},
		"HDF5 behind a user": {append(make([]byte, 1024), "\x89HDF\r\n\x1a\n\x09"...), "superblock at byte 1024: version 9"},
		"records":            {lie(func(c *classic) { c.records = 1 << 63 }), "records are more than any file has"},
		"two record dims":    {lie(func(c *classic) { c.dims[1].length = 0 }), "2 record dimensions"},
		"record dim second":  {lie(func(c *classic) { c.vars[0].dims = []int{1, 0} }), `variable "x" has the record dimension "t" at place 1`},
		"dimension number":   {lie(func(c *classic) { c.vars[0].dims = []int{3} }), `variable "x" has dimension number 3, the file has 3`},
		"two variables":      {lie(func(c *classic) { c.vars[1].name = "x" }), `two variables "x"`},
		"product": {lie(func(c *classic) { c.dims[1].length, c.vars[0].dims = 1<<62, []int{1, 2} }),
			`variable "x" is too large for any file`},
		"records too large": {lie(func(c *classic) { c.dims[1].length = math.MaxInt / 10 }), `variable "field" makes records that are too large for any file`},
		"begin":             {lie(func(c *classic) { c.vars[0].begin = -1 }), `variable "x" begins at byte 18446744073709551615`},
		"type of CDF-5": {(&classic{version: 1, vars: []variable{{name: "v", kind: 10}}}).header(),
			"type number 10, which CDF-1 does not have"},
		"tag":         {[]byte("CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0b\x00\x00\x00\x00"), "tag 0xb where the list of dimensions begins"},
		"a billion":   {[]byte("CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x3b\x9a\xca\x00"), "1000000000 dimensions do not fit"},
		"a million":   {[]byte("CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x0f\x42\x40"), "truncated: the header does not end within the file's 16 bytes"},
		"long name":   {[]byte("CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x01\xff\xff\xff\xff"), "truncated"},
		"only magic":  {[]byte("CDF\x02"), "truncated"},
		"no variable": {[]byte("CDF\x02\x00\x00\x00\x00"), "truncated"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openSource(t, Options{}, save(t, "f.nc", test.file))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "f.nc") {
				t.Fatalf("got %v, want an error about f.nc with %q", err, test.want)
			}
			if isClassic(test.file) && !errors.Is(err, errors.ErrUnsupported) && !strings.Contains(err.Error(), "get the file again") {
				t.Errorf("%v: no way out", err)
			}
			if unsupported := strings.Contains(test.want, "version"); errors.Is(err, errors.ErrUnsupported) != unsupported {
				t.Errorf("%v: wraps errors.ErrUnsupported: %v", err, !unsupported)
			}
		})
	}
}

// TestLongHeader has a header that takes several reads.
func TestLongHeader(t *testing.T) {
	c := small(2, 1)
	c.attributes = append(c.attributes, attribute{"history", netcdftype.Char, bytes.Repeat([]byte("long "), 60000), nil, false})
	src, err := openSource(t, Options{}, save(t, "f.nc", c.encode(1)))
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.Run(t, src)
	var history string
	if err := json.Unmarshal(src.Groups()[0].Attributes.Get("history"), &history); err != nil || len(history) != 300000 {
		t.Errorf("the attribute has %d bytes (%v)", len(history), err)
	}
}

// TestLyingCountsAllocateLittle opens a large sparse file in which all counts are as
// large as possible.
func TestLyingCountsAllocateLittle(t *testing.T) {
	path := save(t, "f.nc", []byte("CDF\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x3f\xff\xff"))
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := openSource(t, Options{}, path); err == nil {
		t.Error("the file was opened")
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4*maxHeader {
		t.Errorf("%d MiB were allocated", got>>20)
	}
}

func TestHugeVariables(t *testing.T) {
	// A variable of 3 TiB, whose size does not fit into its field.
	c := &classic{version: 2, records: 5, dims: []dimension{{name: "t"}, {name: "y", length: 1 << 20}, {name: "x", length: 3 << 17}},
		vars: []variable{{name: "big", kind: 6, dims: []int{1, 2}}, {name: "rec", kind: 3, dims: []int{0}}}}
	c.vars[0].begin = 1024
	c.vars[1].begin = 1024 + 3<<40
	path := save(t, "f.nc", c.header())
	if err := os.Truncate(path, c.vars[1].begin); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte{0, 1, 0, 2, 0, 3, 0, 4, 0, 5}, c.vars[1].begin)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	src, err := openSource(t, Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := src.Array(t.Context(), "rec")
	if err != nil {
		t.Fatal(err)
	}
	got := sourcetest.ReadAll(t, a).Data
	var want []byte
	for i := range uint16(5) {
		want = binary.NativeEndian.AppendUint16(want, i+1)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if a, err = src.Array(t.Context(), "big"); err != nil {
		t.Fatal(err)
	} else if want := []int{1 << 20, 3 << 17}; !slices.Equal(a.Info().Shape, want) {
		t.Errorf("shape %v, want %v", a.Info().Shape, want)
	}
}

func TestNames(t *testing.T) {
	c := &classic{version: 1, dims: []dimension{{name: "漢", length: 1}}, vars: []variable{
		{name: "température", kind: 1, dims: []int{0}}, {name: "caf\xe9", kind: 1}, {name: "a/b", kind: 1}, {name: "", kind: 1}, {name: "__x", kind: 1},
	}}
	src, err := openSource(t, Options{}, save(t, "f.nc", c.encode(1)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"température", "café", "a/b", "", "__x"}, src.Arrays()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, name := range []string{"température", "café", "__x"} {
		if _, err := src.Array(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	// Zarr reserves the name "__x"; the array may get another name in the target.
	for _, name := range src.Arrays()[2:4] {
		if _, err := src.Array(t.Context(), name); err == nil || !strings.Contains(err.Error(), "f.nc") {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

func FuzzHeader(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.nc")
	if err != nil || len(seeds) == 0 {
		f.Fatal(seeds, err)
	}
	for _, path := range seeds {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(sourcetest.Zipped(f, "testdata/foreign.zip", "zero_bytes_classic.nc"))
	for _, version := range []byte{1, 2, 5} {
		f.Add(small(version, 2).encode(2))
	}
	nothing, err := store.Open(f.Context(), "mem://nothing", store.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := parseHeader(data, int64(len(data)))
		if err != nil {
			return
		}
		opened := &sources.OpenFile{Store: nothing, File: sources.File{URL: "f.nc", Size: int64(len(data))}}
		s := &file{OpenFile: opened, contents: &classicFile{file: opened, header: h}}
		if _, err := attributesJSON(h.attributes).MarshalJSON(); err != nil {
			t.Error(err)
		}
		for _, name := range s.Arrays() {
			a, err := s.Array(t.Context(), name)
			if err != nil {
				continue
			}
			if _, err := (zarr.Attributes)(a.Info().Attributes).MarshalJSON(); err != nil {
				t.Error(err)
			}
			if fill := a.Info().Fill; fill != nil {
				if _, err := a.Info().Type.ParseScalar(dtype.V3, a.Info().Type.FormatScalar(dtype.V3, fill)); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
