package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

// compat is the folder with what earlier versions have left: a folder for each version, with
// an archive for each kind of job. An archive holds job.yaml, its sources, the target and the
// checkpoint as a run has left them, and want.json, the digests of the finished target. All
// paths in jobs and checkpoints are relative, and the times of files are in the archives.
const compat = "testdata/compat"

// sourceTime is the time of the last change of all sources of the archives.
func sourceTime() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC) }

// compatKind is a kind of job. Its codecs write the same bytes in all versions.
type compatKind struct {
	// make writes the sources and job.yaml into a folder, and does whatever comes before
	// the run that is interrupted.
	make func(t *testing.T, dir string)
	// stop is the number of units after which the run is interrupted; 0: it finishes.
	stop int
	// campaign is the number of bundles of a campaign, the first of which is worked on in
	// place of a run; 0: none.
	campaign int
}

// compatKinds are the kinds of jobs by the names of their archives.
func compatKinds() map[string]compatKind {
	const head, one = "zmigrate: 1\n", "run: {workers: {read: 1, encode: 1, write: 1}, checkpoint: {every: 10ms}}\n"
	file := func(t *testing.T, dir, name string, data []byte) {
		t.Helper()
		if err := os.Chtimes(write(t, dir, name, data), sourceTime(), sourceTime()); err != nil {
			t.Fatal(err)
		}
	}
	ramp := func(n int) (data []byte) {
		for i := range n {
			data = binary.LittleEndian.AppendUint32(data, uint32(i))
		}
		return data
	}
	raw := func(t *testing.T, dir string) {
		file(t, dir, "a.bin", append(make([]byte, 4*48), ramp(240)...))
		file(t, dir, "job.yaml", []byte(head+`source:
  driver: raw
  arrays:
    plain: {url: a.bin, data_type: int32, shape: [12, 24], dimension_names: [y, x], attributes: {units: m}}
    group/shards: {url: a.bin, data_type: float32, shape: [12, 24]}
    group/order: {url: a.bin, data_type: ">u2", shape: [24, 24], order: F}
target: {url: out.zarr}
defaults: {codecs: [bytes, crc32c]}
arrays:
  plain: {chunks: [4, 8], fill_value: 0}
  group/shards: {chunks: [2, 4], shards: [4, 8]}
  group/order: {chunks: [8, 8], rename: renamed}
`+one))
	}
	nights := func(job string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			for i := range 3 {
				file(t, dir, fmt.Sprintf("night_%d.nc", i), day(i))
			}
			file(t, dir, "job.yaml", []byte(head+"source: {driver: netcdf, url: \"night_*.nc\", concat: time, include: [\"field_*\"], join: override}\n"+job+one))
		}
	}
	return map[string]compatKind{
		"raw":      {make: raw, stop: 9},
		"finished": {make: raw},
		"campaign": {make: raw, campaign: 4},
		"overwrite": {make: func(t *testing.T, dir string) {
			raw(t, dir)
			undisturbed(t, filepath.Join(dir, "job.yaml"), filepath.Join(dir, "out.zarr"))
			text, err := os.ReadFile(filepath.Join(dir, "job.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.Replace(text, []byte("{url: out.zarr}"), []byte("{url: out.zarr, existing: overwrite}"), 1)
			file(t, dir, "job.yaml", bytes.Replace(text, []byte("chunks: [4, 8]"), []byte("chunks: [3, 8]"), 1))
		}, stop: 9},
		"netcdf": {make: nights("target: {url: out.zarr}\ndefaults: {codecs: [bytes, crc32c], chunks: {time: 1, lat: 2, lon: 8}}\n"), stop: 7},
		"append": {make: func(t *testing.T, dir string) {
			nights("target: {url: out.zarr, existing: append, append: {dimension: time, overlap: skip}}\ndefaults: {codecs: [bytes, crc32c], chunks: {time: 2, lat: 2, lon: 8}}\n")(t, dir)
			undisturbed(t, filepath.Join(dir, "job.yaml"), filepath.Join(dir, "out.zarr"))
			for i := 3; i < 6; i++ {
				file(t, dir, fmt.Sprintf("night_%d.nc", i), day(i))
			}
		}, stop: 7},
		"parquet": {make: func(t *testing.T, dir string) {
			data, err := os.ReadFile("../sources/arrow/testdata/texts/plain.parquet")
			if err != nil {
				t.Fatal(err)
			}
			file(t, dir, "table.parquet", data)
			file(t, dir, "job.yaml", []byte(head+"source: {driver: arrow, url: table.parquet}\ntarget: {url: out.zarr}\ndefaults: {codecs: [vlen-utf8, crc32c], chunks: [5]}\n"+one))
		}, stop: 3},
		"zarr": {make: func(t *testing.T, dir string) {
			file(t, dir, "in.zarr/.zgroup", []byte(`{"zarr_format": 2}`))
			file(t, dir, "in.zarr/a/.zarray", []byte(`{"zarr_format": 2, "shape": [24], "chunks": [2], "dtype": "<i4", "compressor": null, "fill_value": 0, "order": "C", "filters": null}`))
			file(t, dir, "in.zarr/a/.zattrs", []byte(`{"_ARRAY_DIMENSIONS": ["x"]}`))
			for i := range 11 {
				file(t, dir, fmt.Sprintf("in.zarr/a/%d", i), ramp(2*i + 2)[8*i:])
			}
			file(t, dir, "job.yaml", []byte(head+"source: {driver: zarr, url: in.zarr}\ntarget: {url: out.zarr}\n"+one))
		}, stop: 4},
	}
}

// leave leaves what an archive of the kind holds in a folder.
func (k compatKind) leave(t *testing.T, dir string) {
	t.Helper()
	k.make(t, dir)
	job := filepath.Join(dir, "job.yaml")
	switch {
	case k.campaign > 0:
		savePlan(t, job, k.campaign)
		if _, err := part(t, "work", job, "--bundle", fmt.Sprintf("0/%d", k.campaign)); err != nil {
			t.Fatal(err)
		}
	case k.stop == 0:
		if _, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}); err != nil {
			t.Fatal(err)
		}
	default:
		stop, done := make(chan struct{}), 0
		var mu sync.Mutex
		_, err := migrate(t.Context(), job, environment(), jobs.RunOptions{Stop: stop, Observe: func(e stages.Event) {
			mu.Lock()
			defer mu.Unlock()
			if done++; done == k.stop {
				close(stop)
			}
		}})
		if !errors.Is(err, stages.ErrStopped) {
			t.Fatalf("the run was not interrupted: %v", err)
		}
	}
}

// TestMakeCompat makes the archives of a version: ZMIGRATE_COMPAT=v0.2 go test ./e2e -run
// '^TestMakeCompat$', at the commit of its release.
func TestMakeCompat(t *testing.T) {
	version := os.Getenv("ZMIGRATE_COMPAT")
	if version == "" {
		t.Skip("makes the archives of a release, whose name is in ZMIGRATE_COMPAT")
	}
	for name, kind := range compatKinds() {
		dir := t.TempDir()
		kind.leave(t, dir)
		left := packed(t, dir)
		// What the same program makes of it is what later ones have to make of it.
		want := undisturbed(t, filepath.Join(dir, "job.yaml"), filepath.Join(dir, "out.zarr"))
		text, err := json.MarshalIndent(want, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		left["want.json"] = packedFile{data: append(text, '\n'), when: sourceTime()}
		write(t, filepath.Join(compat, version), name+".tar.gz", archived(t, left))
	}
	if err := os.CopyFS(filepath.Join(compat, version, "jobs"), os.DirFS(filepath.Join(compat, "jobs"))); err != nil {
		t.Fatal(err)
	}
}

// packedFile is a file, or an empty folder.
type packedFile struct {
	data   []byte
	when   time.Time
	folder bool
}

// packed returns everything below a folder by its path, with slashes.
func packed(t *testing.T, dir string) map[string]packedFile {
	t.Helper()
	files := map[string]packedFile{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		key, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		file := packedFile{when: info.ModTime(), folder: d.IsDir()}
		if !file.folder {
			file.data, err = os.ReadFile(name)
		}
		files[filepath.ToSlash(key)] = file
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func archived(t *testing.T, files map[string]packedFile) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		h := &tar.Header{Name: name, Size: int64(len(f.data)), ModTime: f.when, Mode: 0o644, Format: tar.FormatPAX, Typeflag: tar.TypeReg}
		if f.folder {
			h.Typeflag, h.Mode = tar.TypeDir, 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unarchived unpacks an archive into a folder with the times of its files, and returns what
// the finished target has to be.
func unarchived(t *testing.T, archive, dir string) (want map[string]string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return want
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case h.Name == "want.json":
			err = json.Unmarshal(data, &want)
		case h.Typeflag == tar.TypeDir:
			err = os.MkdirAll(filepath.Join(dir, filepath.FromSlash(h.Name)), 0o755)
		default:
			err = os.Chtimes(write(t, dir, filepath.FromSlash(h.Name), data), h.ModTime, h.ModTime)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompat goes on where earlier versions have stopped. An interrupted run, or a campaign,
// ends with the same bytes as it would have then, and does no unit again that was done. A job
// that is complete has nothing to do.
func TestCompat(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob(filepath.Join(compat, "v*", "*.tar.gz"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives, error %v", len(archives), err)
	}
	for _, archive := range archives {
		version, name := filepath.Base(filepath.Dir(archive)), strings.TrimSuffix(filepath.Base(archive), ".tar.gz")
		t.Run(version+"/"+name, func(t *testing.T) {
			t.Parallel()
			dir := fast(t)
			want := unarchived(t, archive, dir)
			job, target := filepath.Join(dir, "job.yaml"), filepath.Join(dir, "out.zarr")
			result, err := migrate(t.Context(), job, environment(), jobs.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if done := name == "finished"; result.Nothing != done || !done && (result.Resumed == 0 || result.Resumed == result.Chunks) {
				t.Errorf("%d of %d units were done before, nothing to do: %t", result.Resumed, result.Chunks, result.Nothing)
			}
			if diff := cmp.Diff(want, tree(t, target)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkNoLeftovers(t, target)
			if result, err := migrate(t.Context(), job, environment(), jobs.RunOptions{}); err != nil || !result.Nothing {
				t.Errorf("once more: %+v, %v", result, err)
			}
			for _, arguments := range [][]string{{"verify", job}, {"status", job}, {"report", job, "-o", filepath.Join(dir, "report.html")}} {
				if out, err := zmigrate(t.Context(), t, arguments...).Output(); err != nil {
					t.Errorf("%s: %v\n%s", arguments[0], err, out)
				}
			}
		})
	}
}

// TestCompatCampaign goes on with the campaign of an old version. A worker refuses its plan. Once
// this version has saved the plan again, the bundle that was done stays done, and workers do the
// others.
func TestCompatCampaign(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob(filepath.Join(compat, "v*", "campaign.tar.gz"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives, error %v", len(archives), err)
	}
	for _, archive := range archives {
		dir := fast(t)
		want := unarchived(t, archive, dir)
		job, target := filepath.Join(dir, "job.yaml"), filepath.Join(dir, "out.zarr")
		// Each build of the program has a version of its own, and that of the test has none.
		campaign := filepath.Join(dir, "out.zarr.zmigrate", "campaign.json")
		old, err := os.ReadFile(campaign)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, "out.zarr.zmigrate/campaign.json", regexp.MustCompile(`"version":"[^"]*"`).ReplaceAll(old, []byte(`"version":"v0.0.1"`)))
		if out, err := part(t, "work", job, "--bundle", "1/4"); err == nil || !strings.Contains(out, "save the plan again") {
			t.Errorf("%s: a worker of another version: %v\n%s", archive, err, out)
		}
		text, err := part(t, "plan", job, "--save", "--bundles", "4")
		var plan struct {
			Units   int
			Bundles []struct {
				Left int `json:"units_left"`
			}
		}
		if err := errors.Join(err, json.Unmarshal([]byte(text), &plan)); err != nil {
			t.Fatal(err)
		}
		left := 0
		for i, b := range plan.Bundles {
			left += b.Left
			if b.Left == 0 {
				continue
			}
			if out, err := part(t, "work", job, "--bundle", strconv.Itoa(i)+"/4"); err != nil {
				t.Errorf("%s: bundle %d: %v\n%s", archive, i, err, out)
			}
		}
		if left == 0 || left == plan.Units {
			t.Errorf("%s: %d of %d units are left", archive, left, plan.Units)
		}
		if out, err := part(t, "finish", job); err != nil {
			t.Errorf("%s: finish: %v\n%s", archive, err, out)
		}
		if diff := cmp.Diff(want, tree(t, target)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", archive, diff)
		}
	}
}

// TestCompatKinds: the newest version has an archive of each kind.
func TestCompatKinds(t *testing.T) {
	t.Parallel()
	versions, err := filepath.Glob(filepath.Join(compat, "v*"))
	if err != nil || len(versions) == 0 {
		t.Fatalf("%d versions, error %v", len(versions), err)
	}
	for name := range compatKinds() {
		if _, err := os.Stat(filepath.Join(versions[len(versions)-1], name+".tar.gz")); err != nil {
			t.Error(err)
		}
	}
}

// jobPaths adds the paths of all fields of a job below a value, with "*" for any name.
func jobPaths(into map[string]bool, at string, value any) {
	into[at] = true
	fields, ok := value.(map[string]any)
	if !ok {
		return
	}
	for name, below := range fields {
		switch at {
		case "source.arrays", "arrays", "groups", "dimensions":
			name = "*"
		}
		jobPaths(into, strings.TrimPrefix(at+"."+name, "."), below)
	}
}

// TestCompatJobs checks the jobs of all versions without opening anything. The jobs that the next
// release keeps have every field of docs/job-file.md.
func TestCompatJobs(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(compat, "*", "*.yaml"))
	old, oldErr := filepath.Glob(filepath.Join(compat, "v*", "jobs", "*.yaml"))
	if err := errors.Join(err, oldErr); err != nil || len(files) == 0 || len(old) == 0 {
		t.Fatalf("%d jobs and %d of earlier versions, error %v", len(files), len(old), err)
	}
	used := map[string]bool{}
	for _, file := range append(files, old...) {
		if filepath.Base(file) == "common.yaml" {
			continue // is a part of another one
		}
		j, err := jobs.Load(file, jobs.Environment{})
		if err == nil {
			err = j.Check(environment().Codecs).Err()
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		var job map[string]any
		if err := errors.Join(err, yaml.Unmarshal(text, &job)); err != nil {
			t.Fatal(err)
		}
		jobPaths(used, "", job)
	}
	page, err := os.ReadFile("../docs/job-file.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `([a-z_.*]+)` \\|").FindAllSubmatch(page, -1)
	if len(rows) < 60 {
		t.Fatalf("docs/job-file.md has %d fields", len(rows))
	}
	for _, row := range rows {
		if field := string(row[1]); !used[field] {
			t.Errorf("no job in %s/jobs has the field %s", compat, field)
		}
	}
}
