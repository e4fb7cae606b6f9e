package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// growth is a series of jobs that grow in one way.
type growth struct {
	unit   string
	sizes  []int
	tested int     // how many of the sizes are measured, unless ZMIGRATE_HEAVY is "all"
	least  int     // the size from which on the cost of a unit has to be flat
	most   float64 // the cost of a further unit, as a ratio to that of a unit before
	memory int     // bytes of peak memory that a further unit may take
	make   func(t *testing.T, dir string, n int) (args []string)
}

// chunksOf makes a job with n chunks of four numbers.
func chunksOf(t *testing.T, dir string, n int) []string {
	t.Helper()
	write(t, dir, "data.bin", smooth(4*n))
	job := write(t, dir, "job.yaml", fmt.Appendf(nil, "zmigrate: 1\nsource: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [%d, 4]}}}\ntarget: {url: target.zarr}\narrays: {a: {chunks: [1, 4]}}\n", n))
	return []string{"run", job}
}

// arraysOf makes a job with n arrays of one chunk.
func arraysOf(t *testing.T, dir string, n int) []string {
	t.Helper()
	const one = `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int32","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"attributes":{"units":"m"},"dimension_names":["x"]}`
	nodes := make([]string, n)
	for i := range n {
		nodes[i] = fmt.Sprintf(`"a%06d":%s`, i, one)
		write(t, dir, fmt.Sprintf("source.zarr/a%06d/c/0", i), fmt.Appendf(nil, "%016d", i))
	}
	write(t, dir, "source.zarr/zarr.json", fmt.Appendf(nil, `{"zarr_format":3,"node_type":"group","attributes":{},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{%s}}}`, strings.Join(nodes, ",")))
	return []string{"copy", filepath.Join(dir, "source.zarr"), filepath.Join(dir, "target.zarr")}
}

// filesOf makes a job that joins n files of six arrays.
func filesOf(t *testing.T, dir string, n int) []string {
	t.Helper()
	for i := range n {
		write(t, dir, fmt.Sprintf("days/%05d.nc", i), day(i))
	}
	job := write(t, dir, "job.yaml", []byte("zmigrate: 1\nsource: {driver: netcdf, url: \"days/*.nc\", concat: time}\ntarget: {url: target.zarr}\narrays: {\"*\": {chunks: auto}}\n"))
	return []string{"run", job}
}

// bytesOf makes a job with 128 MiB in chunks of n KiB.
func bytesOf(t *testing.T, dir string, n int) []string {
	t.Helper()
	const rows = 128 << 20 / 4 / 1024
	write(t, dir, "data.bin", smooth(rows*1024))
	job := write(t, dir, "job.yaml", fmt.Appendf(nil, "zmigrate: 1\nsource: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [%d, 1024]}}}\ntarget: {url: target.zarr}\narrays: {a: {chunks: [%d, 1024], codecs: [bytes, {name: zstd, configuration: {level: 3, checksum: false}}]}}\n", rows, n/4))
	return []string{"run", job}
}

var growths = []growth{
	{"chunks", []int{1_000, 10_000, 30_000, 1_000_000}, 3, 10_000, 1.5, 400, chunksOf},
	{"arrays", []int{10, 1_000, 3_000, 100_000}, 3, 1_000, 1.5, 6_000, arraysOf},
	{"files of the source", []int{10, 100, 1_000, 10_000}, 3, 100, 1.5, 20_000, filesOf},
}

// TestGrowth measures the processor time and the peak memory of jobs of growing size. The test
// is of the slope: a further unit of a large job takes no more than one of a small job does.
func TestGrowth(t *testing.T) {
	how := os.Getenv("ZMIGRATE_HEAVY")
	if how == "" {
		t.Skip("takes half a minute: ZMIGRATE_HEAVY=1 runs it, and ZMIGRATE_HEAVY=all with a million chunks")
	}
	program := build(t)
	t.Log("| | size | seconds of processor | µs a unit | peak MiB |")
	for _, g := range growths {
		t.Run(g.unit, func(t *testing.T) {
			sizes := g.sizes
			if how != "all" {
				sizes = sizes[:g.tested]
			}
			var spents []spent
			for _, n := range sizes {
				dir := fast(t)
				best := leastSpent(t, program, dir, g.make(t, dir, n))
				spents = append(spents, best)
				t.Logf("| %s | %d | %.2f | %.0f | %d |", g.unit, n, best.processors, 1e6*best.processors/float64(n), best.peak>>20)
			}
			first := slices.IndexFunc(sizes, func(n int) bool { return n >= g.least })
			for i := first + 1; i < len(sizes); i++ {
				small, large := spents[i-1].processors/float64(sizes[i-1]), (spents[i].processors-spents[i-1].processors)/float64(sizes[i]-sizes[i-1])
				if large > g.most*small {
					t.Errorf("a further one of %d %s takes %.2f times the processor time of one of %d", sizes[i], g.unit, large/small, sizes[i-1])
				}
				if each := (spents[i].peak - spents[i-1].peak) / int64(sizes[i]-sizes[i-1]); each > int64(g.memory) {
					t.Errorf("each further one of %d %s takes %d bytes, want at most %d", sizes[i], g.unit, each, g.memory)
				}
			}
		})
	}
}

// leastSpent returns what a job in a folder takes, the better of two runs, and removes the folder.
func leastSpent(t *testing.T, program, dir string, args []string) spent {
	t.Helper()
	args = append(args, "--progress", "none")
	one := spend(t, program, args...)
	remove(t, filepath.Join(dir, "target.zarr"), filepath.Join(dir, "target.zarr.zmigrate"))
	two := spend(t, program, args...)
	remove(t, dir)
	return spent{min(one.wall, two.wall), min(one.processors, two.processors), min(one.peak, two.peak)}
}

// TestGrowthOfChunks measures the same array in chunks of growing size: a byte does not take much
// longer in a small chunk than in a large one.
func TestGrowthOfChunks(t *testing.T) {
	if os.Getenv("ZMIGRATE_HEAVY") == "" {
		t.Skip("takes ten seconds: ZMIGRATE_HEAVY=1 runs it")
	}
	const most = 2.5 // times the least processor time of all sizes: a small chunk has a file of its own
	program := build(t)
	var times []float64
	sizes := []int{64, 1 << 10, 16 << 10, 128 << 10}
	for _, n := range sizes {
		dir := fast(t)
		best := leastSpent(t, program, dir, bytesOf(t, dir, n))
		times = append(times, best.processors)
		t.Logf("| chunks of %d KiB | %.2f s of processor for 128 MiB | peak %d MiB |", n, best.processors, best.peak>>20)
	}
	if least, longest := slices.Min(times), slices.Max(times); longest > most*least {
		t.Errorf("%v seconds with chunks of %v KiB: the longest is %.2f times the least, want at most %g", times, sizes, longest/least, most)
	}
}
