package run

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// TestRechunkReads cuts slices into tiles and counts how often each stored slice is read. The
// count is what the plan says, and the least that the memory allows.
func TestRechunkReads(t *testing.T) {
	for _, side := range []int{256, 1024} {
		t.Run(fmt.Sprint(side), func(t *testing.T) {
			if side > 256 && os.Getenv("ZMIGRATE_HEAVY") != "1" {
				t.Skip("set ZMIGRATE_HEAVY=1 to cut 256 MiB")
			}
			testRechunk(t, side)
		})
	}
}

// testRechunk cuts 64 slices of side² into 8 × 8 tiles.
func testRechunk(t *testing.T, side int) {
	const slices = 64
	tile, scale := side/8, int64(side*side)>>16
	dir, env := t.TempDir(), jobtest.Environment()
	data := make([]byte, 4*slices*side*side)
	for i := 0; i < len(data); i += 4 {
		binary.LittleEndian.PutUint32(data[i:], uint32(i*2654435761)>>8)
	}
	if err := os.WriteFile(filepath.Join(dir, "data.bin"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	job := func(text string, memory int64) *jobfile.Job {
		t.Helper()
		j := jobtest.Parse(t, dir, "zmigrate: 1\n"+text)
		j.Run.Memory = memory
		return j
	}
	shape := fmt.Sprintf("shape: [%d, %d, %d]", slices, side, side)
	runPlan(t, job(`source: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, `+shape+`}}}
target: {url: slices.zarr}
arrays: {a: {chunks: [1, `+fmt.Sprint(side)+`, `+fmt.Sprint(side)+`]}}
`, scale*64<<20), env)

	tiles := func(name string, memory int64, depth int) *jobfile.Job {
		return job(`source: {driver: zarr, url: slices.zarr}
target: {url: `+name+`.zarr}
defaults: {chunks: [`+fmt.Sprint(depth)+`, `+fmt.Sprint(tile)+`, `+fmt.Sprint(tile)+`]}
`, memory)
	}
	p, err := plan.New(t.Context(), tiles("none", scale*4<<20, slices), env)
	if err != nil {
		t.Fatal(err)
	}
	once := int64(p.Arrays[0].DecodeOnce)
	if diff := cmp.Diff([]int{8, tile, tile}, p.Arrays[0].OnceChunks); diff != "" {
		t.Fatalf("proposed chunks (-want +got):\n%s", diff)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if most := scale * 20 << 20; once > most {
		t.Errorf("each slice is read once with %d bytes, want at most %d", once, most)
	}
	for _, test := range []struct {
		name   string
		memory int64
		depth  int // of the tiles
		times  int // that each slice is read
	}{
		{"roomy", scale * 40 << 20, slices, 1},
		{"a quarter more than the data", scale * 20 << 20, slices, 1},
		{"the least for once", once, slices, 1},
		{"a byte less", once - 1, slices, 2},
		{"a quarter of the data", scale * 4 << 20, slices, 6}, // 3 × 2 blocks of 12 tiles and less
		{"the chunks that are proposed", scale * 4 << 20, p.Arrays[0].OnceChunks[0], 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, reads := countReads(t, tiles(fmt.Sprint("tiles", test.memory, test.depth), test.memory, test.depth), env)
			if want := test.times * slices; a.Decodes != want || len(reads) != slices {
				t.Errorf("%d reads of %d slices are planned, %d slices were read, want %d reads", a.Decodes, a.SourceChunks, len(reads), want)
			}
			for key, n := range reads {
				if n != test.times {
					t.Errorf("%s was read %d times, want %d", key, n, test.times)
				}
			}
			if once := test.times == 1; (a.DecodeOnce == 0) != once || (a.OnceChunks == nil) != once {
				t.Errorf("for once it takes %d bytes or chunks of %v", a.DecodeOnce, a.OnceChunks)
			}
		})
	}
}

// countReads is runPlan, and counts how often each stored chunk of the array a is
// read.
func countReads(t *testing.T, j *jobfile.Job, env environment.Environment) (plan.Array, map[string]int) {
	t.Helper()
	var mu sync.Mutex
	reads := map[string]int{}
	env.Fault = func(op, key string) error {
		if op == "read" && strings.HasPrefix(key, "a/c/") {
			mu.Lock()
			defer mu.Unlock()
			reads[key]++
		}
		return nil
	}
	return runPlan(t, j, env), reads
}

// runPlan plans a job and runs it, and returns what was planned for its array.
func runPlan(t *testing.T, j *jobfile.Job, env environment.Environment) plan.Array {
	t.Helper()
	p, err := plan.New(t.Context(), j, env)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := Run(t.Context(), p, env, Options{}); err != nil {
		t.Fatal(err)
	}
	return p.Arrays[0]
}
