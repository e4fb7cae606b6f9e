package e2e

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// referredChunk is the data of a chunk of four numbers behind a header.
func referredChunk(number int) []byte {
	data := []byte("header--")
	for i := range 4 {
		data = binary.LittleEndian.AppendUint32(data, uint32(4*number+i))
	}
	return data
}

// cloudObject is an object in a bucket.
type cloudObject struct{ folder, key string }

func (o cloudObject) remove(t *testing.T) {
	t.Helper()
	s, err := store.Open(t.Context(), o.folder, store.Options{Limits: limits.New(0)})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Delete(t.Context(), o.key), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestCloudReferences has tables of references, on this machine and in a bucket, to files in
// the buckets of all providers and on an HTTP server. The targets are those of a table whose
// files are on this machine. A file that is shorter than at first, or gone, is an error before
// anything is written.
func TestCloudReferences(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		http.ServeContent(w, r, "", time.Unix(0, 0), bytes.NewReader(referredChunk(len(providers))))
	}))
	t.Cleanup(server.Close)
	dir := fast(t)
	var places, follow []string // of the files, by the number of the chunk
	var objects []cloudObject
	for i, scheme := range providers {
		at := cloud(t, scheme)(fmt.Sprintf("day%d/x y.bin", i))
		folder, key, err := store.Split(strings.Replace(at, "x y", "x%20y", 1))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, cloudObject{folder, key})
		put(t, folder, key, referredChunk(i))
		plain, query, _ := strings.Cut(at, "?")
		places = append(places, plain)
		if query != "" {
			bucket, _, _ := strings.Cut(strings.TrimPrefix(plain, scheme+"://"), "/")
			follow = append(follow, scheme+"://"+bucket+"?"+query)
		}
	}
	places = append(places, server.URL+"/deep/x%20y.bin")
	table := func(places []string) []byte {
		text := fmt.Sprintf(`{".zgroup": {"zarr_format": 2}, "v/.zarray": {"zarr_format": 2, "shape": [%d], "chunks": [4], "dtype": "<i4", "fill_value": -1, "order": "C", "filters": null, "compressor": null}`, 4*len(places))
		for i, place := range places {
			text += fmt.Sprintf(`, "v/%d": [%q, 8, 16]`, i, place)
		}
		return []byte(text + "}")
	}
	var local []string
	for i := range places {
		local = append(local, write(t, dir, fmt.Sprintf("local%d.bin", i), referredChunk(i)))
	}
	allowed, err := json.Marshal(follow)
	if err != nil {
		t.Fatal(err)
	}
	job := func(name, from string) string {
		return write(t, dir, name+".yaml", fmt.Appendf(nil, "{zmigrate: 1, source: {driver: zarr, url: %q, follow: %s}, target: {url: %s.zarr}}", from, allowed, name))
	}
	want := undisturbed(t, job("local", write(t, dir, "local.json", table(local))), filepath.Join(dir, "local.zarr"))
	remote := table(places)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(remote)
	_ = w.Close()
	inBucket := cloud(t, providers[0])("refs.json.gz")
	folder, key, err := store.Split(inBucket)
	if err != nil {
		t.Fatal(err)
	}
	put(t, folder, key, packed.Bytes())
	tables := map[string]string{"here": write(t, dir, "remote.json", remote), "there": inBucket}
	for name, from := range tables {
		if diff := cmp.Diff(want, undisturbed(t, job(name, from), filepath.Join(dir, name+".zarr"))); diff != "" {
			t.Errorf("the table %s (-local +remote):\n%s", name, diff)
		}
	}
	for i, scheme := range providers {
		folder, key := objects[i].folder, objects[i].key
		for name, change := range map[string]func(){
			"shorter": func() { put(t, folder, key, referredChunk(i)[:20]) },
			"gone":    func() { objects[i].remove(t) },
		} {
			change()
			for table, from := range tables {
				_, err := migrate(t.Context(), job("failed", from), environment(), jobs.RunOptions{})
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("v/%d refers to", i)) || !strings.Contains(err.Error(), "x y.bin") && !strings.Contains(err.Error(), "x%20y.bin") {
					t.Errorf("%s: %s, the table %s: %v", scheme, name, table, err)
				}
				if _, err := os.Stat(filepath.Join(dir, "failed.zarr")); err == nil {
					t.Errorf("%s: %s, the table %s: something was written", scheme, name, table)
				}
			}
			put(t, folder, key, referredChunk(i))
		}
	}
}

// TestCloudReferencesWritten writes tables of references to a file in a bucket of each provider, in
// that bucket and on this machine. A conversion of the table gives what a conversion of a table of the
// file on this machine gives.
func TestCloudReferencesWritten(t *testing.T) {
	dir := fast(t)
	archive := sourcetest.Unzip(t, filepath.Join("..", "sources", "netcdf", "testdata", "netcdf4.zip"))
	local := filepath.Join(archive, "nc4_features.nc")
	data, err := os.ReadFile(local)
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, "copy", "--progress", "none", "--references", "json", local, filepath.Join(archive, "local.json"))
	mustRun(t, "copy", "--progress", "none", filepath.Join(archive, "local.json"), filepath.Join(dir, "local.zarr"))
	want := tree(t, filepath.Join(dir, "local.zarr"))
	for _, scheme := range providers {
		at := cloud(t, scheme)
		file := at("day 1/in.nc")
		folder, key, err := store.Split(strings.Replace(file, "day 1", "day%201", 1))
		if err != nil {
			t.Fatal(err)
		}
		put(t, folder, key, data)
		for form, name := range map[string]string{"json": "refs.json", "parquet": "refs.parq"} {
			for where, table := range map[string]string{"here": filepath.Join(dir, scheme+name), "there": at(name)} {
				copied := filepath.Join(dir, scheme+form+where+".zarr")
				mustRun(t, "copy", "--progress", "none", "--references", form, strings.Replace(file, "day 1", "day%201", 1), table)
				plain, query, _ := strings.Cut(file, "?")
				if text, err := os.ReadFile(table); err == nil && !strings.Contains(string(text), `/day 1/in.nc",`) {
					t.Errorf("%s: the table does not refer to the file", scheme)
				}
				bucket, _, _ := strings.Cut(strings.TrimPrefix(plain, scheme+"://"), "/")
				job := write(t, dir, "job.yaml", fmt.Appendf(nil, "{zmigrate: 1, source: {driver: zarr, url: %q, follow: [%q]}, target: {url: %q}}", table, scheme+"://"+bucket+"?"+query, copied))
				mustRun(t, "run", "--progress", "none", job)
				if diff := cmp.Diff(want, tree(t, copied)); diff != "" {
					t.Errorf("%s, %s %s (-file +table):\n%s", scheme, form, where, diff)
				}
			}
		}
	}
}
