package e2e

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// allowance is the memory that the process may take besides run.memory, in bytes.
const allowance = 64 << 20

// TestPeakMemory measures the peak resident size of the program. One source is a sparse
// file whose zeros are not the fill value, so that every chunk is encoded and stored.
// The other is noise, which fills every buffer to its end.
func TestPeakMemory(t *testing.T) {
	if os.Getenv("ZMIGRATE_HEAVY") != "1" {
		t.Skip("set ZMIGRATE_HEAVY=1 to migrate some arrays of 4 GiB")
	}
	program := build(t)
	const zstd = "[bytes, {zstd: {level: 3}}]"
	one := []string{"auto"}
	for _, test := range []struct {
		name    string
		budget  int // MiB
		layers  int // number of layers of the array, of 4 MiB each
		noise   bool
		workers string
		codecs  string
		chunks  []string // chunk shapes; there is an array for each, over the same file
	}{
		{"sparse", 64, 1024, false, "0", zstd, one},
		{"sparse", 256, 1024, false, "0", zstd, one},
		{"sparse", 1024, 1024, false, "0", zstd, one},
		{"uncompressed", 256, 256, false, "0", "[bytes]", one},
		{"noise", 64, 128, true, "0", zstd, one},
		{"many workers", 64, 128, true, "32", zstd, one},
		{"many workers", 256, 128, true, "32", zstd, one},
		{"chunks of many sizes", 256, 64, true, "32", zstd, []string{"[4, 256, 1024]", "[1, 700, 1024]", "[3, 1024, 1024]", "[8, 128, 128]"}},
	} {
		t.Run(fmt.Sprintf("%s/%dMiB", test.name, test.budget), func(t *testing.T) {
			dir := fast(t)
			var layer []byte
			if test.noise {
				layer = make([]byte, 4<<20)
			}
			source := write(t, dir, "data.bin", nil)
			f, err := os.OpenFile(source, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			for i := range test.layers {
				if _, err := rand.Read(layer); err != nil {
					t.Fatal(err)
				}
				if _, err := f.WriteAt(layer, int64(i)<<22); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(f.Truncate(int64(test.layers)<<22), f.Close()); err != nil {
				t.Fatal(err)
			}
			var arrays, options string
			for i, chunks := range test.chunks {
				arrays += fmt.Sprintf("    a%d: {url: data.bin, data_type: float32, shape: [%d, 1024, 1024]}\n", i, test.layers)
				options += fmt.Sprintf("  a%d: {fill_value: 1.0, codecs: %s, chunks: %s}\n", i, test.codecs, chunks)
			}
			job := write(t, dir, "job.yaml", fmt.Appendf(nil,
				"zmigrate: 1\nsource:\n  driver: raw\n  arrays:\n%starget: {url: out.zarr}\narrays:\n%srun: {memory: %dMiB}\n",
				arrays, options, test.budget))
			c := exec.CommandContext(t.Context(), program, "run", "--progress", "none", "--workers", test.workers, job)
			c.Stderr = t.Output()
			if out, err := c.Output(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			// The system also counts the memory of this process before it became the
			// program.
			peak := peakMemory(c.ProcessState)
			t.Logf("%s: budget %d MiB, %d array(s) of %d MiB: peak %d MiB, %.1f s of processor time",
				test.name, test.budget, len(test.chunks), test.layers<<2, peak>>20,
				(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
			most := int64(test.budget)<<20 + allowance
			if readers, err := strconv.Atoi(test.workers); err == nil {
				most += int64(readers) << 20 // what each reader may borrow besides the budget
			}
			if peak > most {
				t.Errorf("peak of %d MiB, want at most %d", peak>>20, most>>20)
			}
		})
	}
}
