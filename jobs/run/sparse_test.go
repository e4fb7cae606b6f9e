package run

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/stages"
)

// sparseZarr is a job over a Zarr v3 array of n chunks of two float64, of which only
// the second and the last one are stored.
func sparseZarr(t *testing.T, n int, fill, more string) *jobfile.Job {
	t.Helper()
	dir := t.TempDir()
	document := fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":[%d],"data_type":"float64",
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},
		"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},
		"fill_value":%s,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"attributes":{}}`, 2*n-1, fill)
	chunk := binary.LittleEndian.AppendUint64(nil, math.Float64bits(5))
	chunk = binary.LittleEndian.AppendUint64(chunk, math.Float64bits(6))
	for name, data := range map[string]string{
		"in/zarr.json": `{"zarr_format":3,"node_type":"group","attributes":{}}`, "in/x/zarr.json": document,
		"in/x/c/1": string(chunk), fmt.Sprintf("in/x/c/%d", n-1): string(chunk),
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j := jobtest.Parse(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: in"+more)
	return j
}

// chunksIn lists the names of the chunks of x in the target.
func chunksIn(t *testing.T, j *jobfile.Job) (names []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(j.Target.URL, "x", "c"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, filepath.Base(p))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A chunk that the source does not store gets an object only if readers of the target would
// otherwise find another value.
func TestSkipsWhatIsNotStored(t *testing.T) {
	const n = 1500
	for name, test := range map[string]struct {
		fill, more string
		stored     int
	}{
		"carried":          {"7", "}\ntarget: {url: out}", 2},
		"re-encoded":       {"7", "}\ntarget: {url: out}\ndefaults: {codecs: [bytes, {zstd: {level: 1}}]}", 2},
		"other chunks":     {"7", "}\ntarget: {url: out}\ndefaults: {chunks: [1], codecs: [bytes]}", 3},
		"NaN":              {`"NaN"`, "}\ntarget: {url: out}", 2},
		"converted":        {"7", "}\ntarget: {url: out}\ndefaults: {data_type: float32, codecs: [bytes]}", 2},
		"converted, other": {"7", "}\ntarget: {url: out}\ndefaults: {data_type: float32, codecs: [bytes], fill_value: 8}", n},
		"other fill value": {"7", "}\ntarget: {url: out}\ndefaults: {fill_value: 8, codecs: [bytes]}", n},
		"sign of zero":     {"0", "}\ntarget: {url: out}\ndefaults: {fill_value: -0.0, codecs: [bytes]}", n},
		"empty ones, too":  {"7", "}\ntarget: {url: out, store_empty_chunks: true}\ndefaults: {codecs: [bytes, {zstd: {level: 1}}]}", n},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := sparseZarr(t, n, test.fill, test.more)
			result, err := execute(t, j, jobtest.Environment(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			stored := len(chunksIn(t, j))
			if stored != test.stored || result.Empty != result.Chunks-stored {
				t.Errorf("%d chunks are stored, want %d; %d of %d are said to be empty", stored, test.stored, result.Empty, result.Chunks)
			}
		})
	}
}

// A chunk that must not be missing is still reported as missing.
func TestSparseSourceMustBeComplete(t *testing.T) {
	j := sparseZarr(t, 1500, "7", ", missing_chunks: error}\ntarget: {url: out}")
	if _, err := execute(t, j, jobtest.Environment(), Options{}); err == nil || !strings.Contains(err.Error(), "missing_chunks") {
		t.Errorf("got %v", err)
	}
}

// The work of a run does not grow with the number of chunks that the source does not store:
// neither the requests nor the receipts.
func TestEmptyChunksCostNothing(t *testing.T) {
	cost := func(n int) int64 {
		var operations atomic.Int64
		j := sparseZarr(t, n, "7", "}\ntarget: {url: out}\ndefaults: {codecs: [bytes, {zstd: {level: 1}}]}")
		env := jobtest.Environment()
		env.Fault = func(string, string) error {
			operations.Add(1)
			return nil
		}
		j.Run.Workers.Read, j.Run.Workers.Write = 1, 1
		if _, err := execute(t, j, env, Options{}); err != nil {
			t.Fatal(err)
		}
		return operations.Load()
	}
	if one, eight := cost(2000), cost(16000); eight > one+one/4 {
		t.Errorf("%d operations for 2,000 chunks, %d for 16,000", one, eight)
	}
}

// A run that was stopped is resumed. Its receipts for ranges of chunks count.
func TestEmptyChunksAreResumed(t *testing.T) {
	j, env := sparseZarr(t, 1500, "7", "}\ntarget: {url: out}\ndefaults: {codecs: [bytes]}\nrun: {path: decode}"), jobtest.Environment()
	stop := make(chan struct{})
	close(stop)
	var todo Progress
	_, err := execute(t, j, env, Options{Stop: stop, Begin: func(p Progress) { todo = p }})
	if !errors.Is(err, stages.ErrStopped) {
		t.Fatal(err)
	}
	if want := (Progress{Chunks: 1500, ChunksDone: 1498, Bytes: 2999 * 8, BytesDone: 2996 * 8}); todo != want {
		t.Errorf("to do: %+v, want %+v", todo, want)
	}
	s, err := ReadStatus(t.Context(), j, env)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ArrayStatus{{"x", 1500, 1498, 1498, 0}}, s.Arrays); diff != "" || s.Done != 1498 {
		t.Errorf("%d chunks done: %s", s.Done, diff)
	}
	result, err := execute(t, j, env, Options{})
	if err != nil || result.Resumed != 1498 || result.Empty != 1498 {
		t.Errorf("%+v, %v", result, err)
	}
	if diff := cmp.Diff([]string{"1", "1499"}, chunksIn(t, j)); diff != "" {
		t.Error(diff)
	}
}

// The work for a dataset of 8 TiB depends on the number of chunks that are stored.
func TestHugeEmptyDatasets(t *testing.T) {
	for file, arrays := range map[string]string{"earliest.h5": "[contiguous, empty, some]", "v110.h5": "[contiguous, empty]"} {
		source, err := filepath.Abs(filepath.Join("testdata", "sparse", file))
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("zmigrate: 1\nsource: {driver: netcdf, url: %q, include: %s}\ntarget: {url: out}\ndefaults: {chunks: [1024, 1024]}\nrun: {memory: 64MiB}", source, arrays)
		j := jobtest.Parse(t, t.TempDir(), text)
		result, err := execute(t, j, jobtest.Environment(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := result.Chunks
		if file == "earliest.h5" {
			want -= 2
		}
		if result.Empty != want || result.Chunks < 2<<20 {
			t.Errorf("%s: %d of %d chunks are empty, want %d", file, result.Empty, result.Chunks, want)
		}
	}
}
