package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// hdf5Unreadable has patterns of links that lead to no file.
const hdf5Unreadable = "groups/dangling,groups/external"

// hdf5Recoded has patterns of datasets whose filters are no codecs, and of a dataset
// with more chunks than zarr-python can read in a minute.
const hdf5Recoded = hdf5Unreadable + ",types/sequences/*,filters/bit*,filters/incompressible,filters/lz4*,filters/*lzf*," +
	"filters/nbit*,filters/scaleoffset*,filters/szip,layouts/extensible_second,extensible_second,layouts/extensible_paged,extensible_paged"

// TestInteropHDF5 lets h5py write files with all types, layouts, chunk indexes,
// filters, links and attributes, in the formats of several versions of the library. It
// compares what zarr-python reads of the migrated files with what h5py reads. If
// filters are codecs, chunks are also carried through.
func TestInteropHDF5(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	scripts := filepath.Join("..", "..", "sources", "netcdf", "hdf5", "testdata")
	p.run(t, filepath.Join(scripts, "make.py"), dir)
	p.run(t, filepath.Join(scripts, "make_szip.py"), dir)
	for name, excluded := range map[string]string{"chunks=auto": hdf5Unreadable, "codecs=keep": hdf5Recoded} {
		job := write(t, dir, name+".yaml", []byte("zmigrate: 1\nsource: {driver: netcdf, url: in.h5, exclude: ["+quoted(excluded)+"]}\ntarget: {url: out.zarr}\n"))
		arguments := []string{"run", "--progress", "none", "--log-level", "error", "--set", "defaults." + name}
		pairs := []string{excluded}
		files := []string{"earliest", "v110", "latest", "userblock", "shared", "tiny_checked"}
		if name == "chunks=auto" {
			files = append(files, "szip") // no codec of Zarr undoes szip, so its chunks are not carried through
		}
		for _, file := range files {
			target := filepath.Join(dir, name, file+".zarr")
			mustRun(t, append(arguments, "--set", "source.url="+file+".h5", "--set", "target.url="+target, job)...)
			pairs = append(pairs, filepath.Join(dir, file+".h5"), target)
		}
		p.check(t, "check_hdf5.py", pairs...)
	}
}

// TestInteropBlosc2 does the same with hundreds of datasets that the filter Blosc2 of hdf5plugin
// has compressed.
func TestInteropBlosc2(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	source, target := filepath.Join(dir, "in.h5"), filepath.Join(dir, "out.zarr")
	p.run(t, filepath.Join("..", "..", "sources", "netcdf", "testdata", "make_blosc2.py"), source, interopSeed)
	mustRun(t, "copy", "--progress", "none", source, target)
	p.check(t, "check_hdf5.py", "-", source, target)
}

// TestInteropNestedSequences migrates sequences of sequences, and compares what zarr-python reads
// with what was written.
func TestInteropNestedSequences(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, filepath.Join("..", "..", "sources", "netcdf", "testdata", "make_nested.py"), dir, interopSeed)
	job := write(t, dir, "job.yaml", []byte("zmigrate: 1\nsource: {driver: netcdf, url: nested.h5, compound: fields}\ntarget: {url: .zarr}\n"))
	mustRun(t, "run", "--progress", "none", job)
	p.check(t, "check_nested.py", dir)
}

// TestInteropHDF5Linked does the same with links to other files, elements in other files, and
// virtual datasets.
func TestInteropHDF5Linked(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, filepath.Join("..", "..", "sources", "netcdf", "testdata", "make_linked.py"), dir)
	pairs := []string{"-"}
	for _, file := range []string{"linked_earliest", "linked_latest"} {
		job := write(t, dir, file+".yaml", []byte("zmigrate: 1\nsource: {driver: netcdf, url: "+file+".h5}\ntarget: {url: "+file+".zarr}\n"))
		mustRun(t, "run", "--progress", "none", "--log-level", "error", job)
		pairs = append(pairs, filepath.Join(dir, file+".h5"), filepath.Join(dir, file+".zarr"))
	}
	p.check(t, "check_hdf5.py", pairs...)
}

// TestInteropHDF5Types does the same with members of compounds, sequences, references and
// attributes of compounds.
func TestInteropHDF5Types(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, filepath.Join("..", "..", "sources", "netcdf", "testdata", "make_types.py"), dir)
	pairs := []string{filepath.Join(dir, "expected.json")}
	for _, file := range []string{"types_earliest", "types_latest"} {
		job := write(t, dir, file+".yaml", []byte("zmigrate: 1\nsource: {driver: netcdf, url: "+file+".h5, compound: fields}\ntarget: {url: "+file+".zarr}\n"))
		mustRun(t, "run", "--progress", "none", "--log-level", "error", job)
		pairs = append(pairs, file+".h5", filepath.Join(dir, file+".zarr"))
	}
	p.check(t, "check_hdf5_types.py", pairs...)
}

// TestInteropNetCDF4 does the same with files of netCDF4-python: groups, unlimited
// dimensions, types that users define.
func TestInteropNetCDF4(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	dir := t.TempDir()
	p.run(t, filepath.Join("..", "..", "sources", "netcdf", "testdata", "make_nc4.py"), dir)
	pairs := []string{"-"}
	for _, file := range []string{"model", "classic_model", "part_0", "part_1"} {
		source := filepath.Join(dir, file+".nc")
		for name, options := range map[string][]string{"decoded": nil, "kept": {"--set", "defaults.codecs=keep"}} {
			job := write(t, dir, file+"_"+name+".yaml", []byte("zmigrate: 1\nsource: {driver: netcdf, url: "+file+".nc}\ntarget: {url: "+file+"_"+name+".zarr}\n"))
			mustRun(t, append(append([]string{"run", "--progress", "none"}, options...), job)...)
			pairs = append(pairs, source, filepath.Join(dir, file+"_"+name+".zarr"))
		}
	}
	p.check(t, "check_hdf5.py", pairs...)
}

// quoted turns patterns, separated by commas, into a YAML list.
func quoted(patterns string) string { return `"` + strings.ReplaceAll(patterns, ",", `", "`) + `"` }
