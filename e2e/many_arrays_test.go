package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyArrays measures the memory and the processor time of a plan of 50,000 small
// arrays, of a run of these, and of a run with nothing to do. Memory has a ceiling. The
// time of a plan, and of a run with nothing to do, is compared with the time that plain
// Go takes in this run to read the source's files.
func TestManyArrays(t *testing.T) {
	if os.Getenv("ZMIGRATE_HEAVY") != "1" {
		t.Skip("set ZMIGRATE_HEAVY=1 to migrate thousands of arrays")
	}
	program := build(t)
	measure := func(t *testing.T, dir string, n int, most int64, arguments ...string) (processors float64) {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, arguments...)
		c.Dir, c.Stderr = dir, t.Output()
		if out, err := c.Output(); err != nil {
			t.Fatalf("%v\n%.1000s", err, out)
		}
		peak := peakMemory(c.ProcessState)
		processors = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
		t.Logf("%d arrays: %s: peak %d MiB, %.1f s of processor time", n, strings.Join(arguments, " "), peak>>20, processors)
		if peak > most {
			t.Errorf("peak of %d MiB, want at most %d", peak>>20, most>>20)
		}
		return processors
	}
	for _, test := range []struct {
		n            int
		format       int
		consolidated bool
		each         int64   // bytes that an array may take
		plan, again  float64 // the most times that plain Go takes
	}{
		{5000, 3, true, 1600, 6, 8},
		{50000, 3, true, 1600, 6, 8},
		{50000, 3, false, 1600, 6, 8},
		{50000, 2, true, 1800, 6, 8},
		{50000, 2, false, 1800, 6, 8},
	} {
		t.Run(fmt.Sprintf("%d of v%d, consolidated %v", test.n, test.format, test.consolidated), func(t *testing.T) {
			dir := fast(t)
			hierarchy(t, dir, test.n, test.format, test.consolidated)
			plain := readInPlainGo(t, filepath.Join(dir, "in"))
			// The program itself takes 45 MiB of this.
			most := allowance + int64(24<<20) + int64(test.n)*test.each
			planned := measure(t, dir, test.n, most, "copy", "--memory", "64MiB", "--dry-run", "in", "out")
			measure(t, dir, test.n, most, "copy", "--memory", "64MiB", "--progress", "none", "in", "out")
			again := measure(t, dir, test.n, most, "copy", "--memory", "64MiB", "--progress", "none", "in", "out")
			t.Logf("plain Go takes %.2f s; a plan takes %.1f times as long, and a run with nothing to do %.1f times", plain, planned/plain, again/plain)
			if planned > test.plan*plain || again > test.again*plain {
				t.Errorf("want at most %.1f and %.1f times as long", test.plan, test.again)
			}
			info, err := os.Stat(filepath.Join(dir, "out.zmigrate", "done.json"))
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() > int64(test.n)*300 {
				t.Errorf("a record of completion of %d bytes for %d arrays", info.Size(), test.n)
			}
		})
	}
}

// readInPlainGo reads all files of a hierarchy, and its documents as JSON, with the
// standard library alone. It returns the processor time in seconds.
func readInPlainGo(t *testing.T, dir string) float64 {
	t.Helper()
	before := processorTime(t)
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if base := filepath.Base(name); !strings.HasPrefix(base, ".z") && base != "zarr.json" {
			_, err = os.ReadFile(name)
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		for d := json.NewDecoder(f); err == nil; {
			_, err = d.Token()
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return (processorTime(t) - before).Seconds()
}

// hierarchy writes a hierarchy of a version of Zarr with n arrays of one chunk each. It
// keeps no document: the system counts the memory of this process as that of the programs
// which it starts.
func hierarchy(t *testing.T, dir string, n, format int, consolidated bool) {
	t.Helper()
	root, begin, end := "zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{}`, "}"
	switch {
	case format == 2 && consolidated:
		root, begin, end = ".zmetadata", `{"zarr_consolidated_format":1,"metadata":{`, "}}"
	case format == 2:
		root, begin = ".zgroup", `{"zarr_format":2`
	case consolidated:
		begin, end = begin+`,"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{`, "}}}"
	}
	name := write(t, dir, filepath.Join("in", root), []byte(begin))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	documents := bufio.NewWriter(f)
	comma := ""
	document := func(key, text string) {
		if consolidated {
			_, _ = fmt.Fprintf(documents, "%s%q:%s", comma, key, text)
			comma = ","
		}
	}
	put := func(key, text string) {
		t.Helper()
		write(t, dir, filepath.Join("in", filepath.FromSlash(key)), []byte(text))
	}
	for i := range n {
		a := fmt.Sprintf("a%d", i)
		if format == 3 {
			text := fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32",
			"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
			"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},
			"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],
			"attributes":{"units":"m","long_name":"array %d"},"dimension_names":["x"]}`, i)
			document(a, text)
			put(a+"/zarr.json", text)
			put(a+"/c/0", "0123456789abcdef")
			continue
		}
		text := `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"<i4","compressor":null,"filters":null,"order":"C","fill_value":0}`
		attributes := fmt.Sprintf(`{"units":"m","long_name":"array %d","_ARRAY_DIMENSIONS":["x"]}`, i)
		document(a+"/.zarray", text)
		document(a+"/.zattrs", attributes)
		put(a+"/.zarray", text)
		put(a+"/.zattrs", attributes)
		put(a+"/0", "0123456789abcdef")
	}
	_, _ = documents.WriteString(end)
	if err := errors.Join(documents.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
}
