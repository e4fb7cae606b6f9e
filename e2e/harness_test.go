package e2e

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	mrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/journal"
)

// TestMain makes this test binary the program itself if it is called as zmigrate. It
// puts that name into PATH.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"zmigrate":         func() { os.Exit(program()) },
		"zmigrate-in-turn": func() { succeeds(inTurn()) },
	})
}

// succeeds ends the process if there is an error.
func succeeds(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tests runs all tests, and then removes the program that some of them share.
type tests struct{ *testing.M }

// Run runs eight of the parallel tests at a time, because they wait most of the time. A
// number on the command line takes precedence.
func (m tests) Run() int {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	err := credentials()
	if !chosen {
		err = errors.Join(err, flag.Set("test.parallel", "8"))
	}
	if err != nil {
		panic(err)
	}
	code := m.M.Run()
	if shipped.dir != "" {
		_ = os.RemoveAll(shipped.dir)
	}
	return code
}

// shipped is the built program, in a folder of its own. The first test that needs it
// builds it.
var shipped struct {
	once sync.Once
	dir  string
	err  error
}

// example is the file that the shipped example migrates.
const example = "../examples/data/coads_climatology.cdf"

// build builds the program as it is shipped, once for all tests, and returns its path.
func build(t testing.TB) string {
	t.Helper()
	shipped.once.Do(func() {
		if shipped.dir, shipped.err = os.MkdirTemp("", "zmigrate"); shipped.err != nil {
			return
		}
		flags := "-ldflags=-s -w"
		if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" { // as in the Makefile
			flags += " -E main.start"
		}
		c := exec.CommandContext(t.Context(), "go", "build", "-tags=urfave_cli_no_docs,tinygo", flags, "-o", filepath.Join(shipped.dir, "zmigrate"), "../cmd/zmigrate")
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		c.Stderr = t.Output()
		shipped.err = c.Run()
	})
	if shipped.err != nil {
		t.Fatal(shipped.err)
	}
	return filepath.Join(shipped.dir, "zmigrate")
}

// environment returns the environment of the program.
func environment() jobs.Environment {
	return jobs.Environment{Codecs: standard.Registry(dtype.Standard())}
}

// migrate runs a job file within the test.
func migrate(ctx context.Context, file string, env jobs.Environment, opt jobs.RunOptions, set ...string) (result *jobs.Result, err error) {
	j, err := jobs.Load(file, jobs.Environment{}, set...)
	if err != nil {
		return nil, err
	}
	if err := j.Check(env.Codecs).Err(); err != nil {
		return nil, err
	}
	for waiting := 1; waiting > 0 && err == nil; {
		result, waiting, err = migrateOnce(ctx, j, env, opt)
	}
	return result, err
}

// migrateOnce makes a plan of a job and runs it. It returns the number of files that are left
// to another plan.
func migrateOnce(ctx context.Context, j *jobs.Job, env jobs.Environment, opt jobs.RunOptions) (result *jobs.Result, waiting int, err error) {
	plan, err := jobs.NewPlan(ctx, j, env)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	opt.Owner = journal.ThisProcess("test")
	opt.Owner.ID = rand.Text() // as if each run had a process of its own
	result, err = jobs.Run(ctx, plan, env, opt)
	return result, plan.Waiting(), err
}

// undisturbed runs a job file to its end and returns the digests of the target.
func undisturbed(t testing.TB, file, target string, set ...string) map[string]string {
	t.Helper()
	if _, err := migrate(t.Context(), file, environment(), jobs.RunOptions{}, set...); err != nil {
		t.Fatal(err)
	}
	return tree(t, target)
}

const emptyFolder = "an empty folder"

// tree returns the SHA-256 of every file below a folder, by its path. An empty folder
// is an entry, too.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		key, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			inside, err := os.ReadDir(name)
			if len(inside) == 0 {
				files[key] = emptyFolder
			}
			return err
		}
		data, err := os.ReadFile(name)
		sum := sha256.Sum256(data)
		files[key] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

// fast returns a temporary folder in which flushing costs nothing, if this machine has
// one.
func fast(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "zmigrate")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// write writes a file of a folder and returns its path.
func write(t testing.TB, dir, name string, data []byte) string {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// smooth returns little-endian float32 values of a smooth field with some noise, and
// with no more digits than an instrument has. They compress about as well as
// measurements do.
func smooth(n int) []byte {
	r := mrand.New(mrand.NewPCG(1, 2))
	data := make([]byte, 4*n)
	for i := range n {
		x := float64(i)
		v := math.Round(1024*(15+10*math.Sin(x/997)+3*math.Cos(x/71)+r.Float64()/64)) / 1024
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32(v)))
	}
	return data
}

// cube writes data.bin, a cube of float32 with the given side. Beside it, it writes a
// job that cuts the cube into cubes of 8 and compresses them with the codec. It returns
// the paths of job and target. Some chunks hold only the fill value. gzip at level 9 is
// slow enough for a run to be interrupted.
func cube(t testing.TB, dir string, side int, codec string) (job, target string) {
	t.Helper()
	data := smooth(side * side * side)
	clear(data[:4*8*side*side/2]) // half of the first layer of chunks
	write(t, dir, "data.bin", data)
	target = filepath.Join(dir, "out.zarr")
	return write(t, dir, "cube.yaml", fmt.Appendf(nil, `zmigrate: 1
source:
  driver: raw
  arrays:
    field/values: {url: data.bin, data_type: float32, shape: [%[1]d, %[1]d, %[1]d], dimension_names: [z, y, x]}
    field/line: {url: data.bin, data_type: float32, shape: [%[2]d]}
    shards/end: {url: data.bin, data_type: float32, shape: [%[1]d, %[1]d, %[1]d]}
    shards/start: {url: data.bin, data_type: float32, shape: [%[1]d, %[1]d, %[1]d]}
target: {url: out.zarr}
defaults: {codecs: [bytes, {%[4]s: {level: 9}}, crc32c]}
arrays:
  field/values: {chunks: [8, 8, 8]}
  field/line: {chunks: [%[3]d]}
  shards/end: {chunks: [4, 8, 8], shards: [12, 8, 16]}
  shards/start:
    chunks: [16, 16, 16]
    codecs: [{sharding_indexed: {chunk_shape: [4, 8, 8], codecs: [bytes, {%[4]s: {level: 1}}], index_location: start}}]
run: {checkpoint: {every: 50ms}}
`, side, side*side*side, side*side, codec)), target
}

// checkNoLeftovers fails the test for anything beside a finished target, except the
// record of completion and the marker of the released lock.
func checkNoLeftovers(t testing.TB, target string) {
	t.Helper()
	for key := range tree(t, target+".zmigrate") {
		if key != "done.json" && key != "report.json" && key != "restart" && filepath.Dir(key) != "lock" && filepath.Dir(key) != "objects" {
			t.Errorf("left beside the target: %s", key)
		}
	}
	beside, err := filepath.Glob(target + ".zmigrate?*")
	if err != nil || len(beside) > 0 {
		t.Errorf("left beside the target: %v, %v", beside, err)
	}
}

// checkUnfinished checks a target that may be unfinished. It fails the test for an object
// that the finished target does not have, and for the document of an array without all
// of its chunks.
func checkUnfinished(t testing.TB, target string, finished map[string]string) {
	t.Helper()
	now := tree(t, target)
	for key, sum := range now {
		if sum == emptyFolder { // a folder on the way to an object
			delete(now, key)
		} else if _, belongs := finished[key]; !belongs {
			t.Errorf("%s does not belong in the target", key)
		}
	}
	for key, sum := range now {
		if filepath.Base(key) != "zarr.json" {
			continue
		}
		if sum != finished[key] {
			t.Errorf("%s differs from that of the finished target", key)
		}
		// Everything below the document must exist.
		for other := range finished {
			if rel, err := filepath.Rel(filepath.Dir(key), other); err == nil && filepath.IsLocal(rel) && now[other] == "" && isArray(t, target, key) {
				t.Errorf("%s exists, but %s is missing", key, other)
			}
		}
	}
	if _, done := now["zarr.json"]; done && len(now) != len(finished) {
		t.Errorf("the root's document exists, with %d of %d objects", len(now), len(finished))
	}
}

func isArray(t testing.TB, target, key string) bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(target, key))
	var d struct {
		Kind string `json:"node_type"`
	}
	if err = errors.Join(err, json.Unmarshal(data, &d)); err != nil {
		t.Errorf("%s: %v", key, err)
	}
	return d.Kind == "array"
}
