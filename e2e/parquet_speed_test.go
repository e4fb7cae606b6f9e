package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources/arrow"
)

// TestParquetSpeed measures reading columns of Parquet files in several encodings and
// compressions. The driver and pyarrow read them in turns. What counts is the time of
// the processor.
func TestParquetSpeed(t *testing.T) {
	const (
		want = 0.8 // the least speed, relative to pyarrow's
		busy = 0.5 // the share of that which is enough on a busy machine
	)
	if os.Getenv("ZMIGRATE_SPEED") != "1" {
		t.Skip("takes half a minute of quiet: ZMIGRATE_SPEED=1 runs it")
	}
	p := findPeers(t)
	dir := t.TempDir()
	cmd, stderr := p.command(t, "parquet_speed.py", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	answer := func() string {
		if !lines.Scan() {
			t.Fatalf("parquet_speed.py: %v\n%s", lines.Err(), stderr)
		}
		return lines.Text()
	}
	var list [][2]string
	if err := json.Unmarshal([]byte(answer()), &list); err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		read := parquetColumn(t, filepath.Join(dir, c[0]), c[1])
		ours, theirs := math.Inf(1), math.Inf(1)
		for range 5 {
			if _, err := fmt.Fprintln(in, c[0], c[1]); err != nil {
				t.Fatal(err)
			}
			seconds, err := strconv.ParseFloat(answer(), 64)
			if err != nil {
				t.Fatal(err)
			}
			ours, theirs = min(ours, leastProcessor(t, read)), min(theirs, seconds)
		}
		t.Logf("%-34s %-14s %5.2f ms, %.2f × pyarrow", strings.TrimSuffix(c[0], ".parquet"), c[1], 1000*ours, theirs/ours)
		if theirs/ours < want*busy {
			t.Errorf("%s, column %s: %.2f times as fast as pyarrow, want %g", c[0], c[1], theirs/ours, want)
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("parquet_speed.py: %v\n%s", err, stderr)
	}
}

// parquetColumn opens a column and returns a function that reads all of it.
func parquetColumn(t *testing.T, file, column string) func() error {
	t.Helper()
	zero := func(_ string, typ dtype.Type) (dtype.Scalar, error) { return typ.Default(), nil }
	src, err := arrow.OpenAll(t.Context(), []arrow.File{{URL: file}}, arrow.Options{Null: zero})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
	a, err := src.Array(t.Context(), column)
	if err != nil {
		t.Fatal(err)
	}
	dst := ndarray.New(a.Info().Type, a.Info().Shape)
	return func() error { return a.ReadRegion(t.Context(), dst, []int{0}) }
}

// leastProcessor returns the least processor time, in seconds and of all threads, that
// a function takes.
func leastProcessor(t *testing.T, run func() error) float64 {
	t.Helper()
	best, end := math.Inf(1), time.Now().Add(40*time.Millisecond)
	for time.Now().Before(end) {
		began := processorTime(t)
		if err := run(); err != nil {
			t.Fatal(err)
		}
		best = min(best, (processorTime(t) - began).Seconds())
	}
	return best
}
