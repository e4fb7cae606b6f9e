// Package sourcetest holds the tests that every source passes, whatever it
// reads: what sources.Source and sources.Array promise.
package sourcetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// regions is how many random regions of each array are read.
const regions = 40

// Run tests an opened source, all of whose arrays can be read and are small
// enough to be held in memory.
func Run(t *testing.T, src sources.Source) {
	t.Helper()
	testTree(t, src)
	for _, name := range src.Arrays() {
		t.Run("array="+name, func(t *testing.T) {
			a, err := src.Array(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			testInfo(t, a.Info(), name)
			whole := ReadAll(t, a)
			testRegions(t, a, whole)
			testConcurrent(t, a, whole)
			testRefused(t, a)
			testCanceled(t, a)
		})
	}
}

// ReadAll returns all elements of an array in C order.
func ReadAll(t *testing.T, a sources.Array) ndarray.Array {
	t.Helper()
	whole := ndarray.New(a.Info().Type, a.Info().Shape)
	if err := a.ReadRegion(t.Context(), whole, make([]int, len(whole.Shape))); err != nil {
		t.Fatal(err)
	}
	return whole
}

// testTree checks that paths are unique and that every array has its groups.
func testTree(t *testing.T, src sources.Source) {
	t.Helper()
	groups := src.Groups()
	if len(groups) == 0 || groups[0].Path != "" {
		t.Fatalf("the root is not the first of the groups %v", groups)
	}
	seen := map[string]bool{}
	for _, g := range groups {
		if seen[g.Path] {
			t.Errorf("group %q is listed twice", g.Path)
		}
		seen[g.Path] = true
		if _, err := json.Marshal(g.Attributes); err != nil {
			t.Errorf("attributes of group %q: %v", g.Path, err)
		}
	}
	arrays := map[string]bool{}
	for _, name := range src.Arrays() {
		if arrays[name] || seen[name] && name != "" {
			t.Errorf("path %q is taken twice", name)
		}
		arrays[name] = true
		parent := path.Dir(name)
		if !seen[strings.TrimPrefix(parent, ".")] {
			t.Errorf("array %q has no group %q", name, parent)
		}
	}
	if len(slices.Collect(src.Files())) == 0 {
		t.Error("no files")
	}
	if d, ok := src.(sources.Detailed); ok {
		for _, name := range append(src.Arrays(), "") {
			if _, err := d.Details(t.Context(), name); err != nil {
				t.Errorf("details of %q: %v", name, err)
			}
		}
	}
	if _, err := src.Array(t.Context(), "no/such array"); err == nil {
		t.Error("an array that is not there was opened")
	}
}

func testInfo(t *testing.T, info *sources.Info, name string) {
	t.Helper()
	n := len(info.Shape)
	if info.Path != name {
		t.Errorf("array %q has path %q", name, info.Path)
	}
	if _, ok := ndarray.Bytes(info.Type, info.Shape); !ok {
		t.Errorf("shape %v is not possible", info.Shape)
	}
	if info.DimensionNames != nil && len(info.DimensionNames) != n {
		t.Errorf("dimension names %q for shape %v", info.DimensionNames, info.Shape)
	}
	if info.Fill != nil && (len(info.Fill) != info.Type.Size() || info.FillFrom == "") {
		t.Errorf("fill value %x from %q for type %s", info.Fill, info.FillFrom, info.Type.Name())
	}
	if info.Chunks != nil && (len(info.Chunks) != n || n > 0 && slices.Min(info.Chunks) < 1) {
		t.Errorf("chunks %v for shape %v", info.Chunks, info.Shape)
	}
	if info.Slowest != nil {
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(info.Slowest))); diff != "" {
			t.Errorf("slowest is no order of the dimensions (-want +got):\n%s", diff)
		}
	}
	if _, err := json.Marshal(info.Attributes); err != nil {
		t.Errorf("attributes: %v", err)
	}
}

// region returns a random region of a shape, which may be empty.
func region(r *rand.Rand, shape []int) ndarray.Region {
	at := ndarray.Region{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
	for i, n := range shape {
		at.Shape[i] = r.IntN(n + 1)
		at.Start[i] = r.IntN(n - at.Shape[i] + 1)
	}
	return at
}

// strided returns memory for a shape whose dimensions lie in a random order,
// within a larger array whose other bytes must stay as they are.
func strided(r *rand.Rand, a sources.Array, shape []int) (dst, frame ndarray.Array) {
	order := r.Perm(len(shape))
	back := make([]int, len(shape))
	inner := ndarray.Region{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
	outer := make([]int, len(shape))
	for i, k := range order {
		inner.Start[i], inner.Shape[i] = r.IntN(2), shape[k]
		outer[i] = inner.Start[i] + shape[k] + r.IntN(2)
		back[k] = i
	}
	frame = ndarray.New(a.Info().Type, outer)
	for i := range frame.Data {
		frame.Data[i] = 0xa5
	}
	return frame.Sub(inner).Transpose(back), frame
}

// checkRegion reads a region into strided memory and compares it, and what
// lies around it, with the same part of the whole.
func checkRegion(ctx context.Context, t *testing.T, r *rand.Rand, a sources.Array, whole ndarray.Array, at ndarray.Region) {
	t.Helper()
	got, frame := strided(r, a, at.Shape)
	if got.Heap != nil { // equal elements may have different places in a heap
		if err := a.ReadRegion(ctx, got, at.Start); err != nil {
			t.Errorf("region %v: %v", at, err)
		} else if !slices.EqualFunc(items(got), items(whole.Sub(at)), bytes.Equal) {
			t.Errorf("region %v, strides %v: differs from the same part of the whole", at, got.Strides)
		}
		return
	}
	want := got
	want.Data = slices.Clone(frame.Data)
	ndarray.Copy(want, whole.Sub(at))
	if err := a.ReadRegion(ctx, got, at.Start); err != nil {
		t.Errorf("region %v: %v", at, err)
		return
	}
	if !bytes.Equal(frame.Data, want.Data) {
		t.Errorf("region %v, strides %v: differs from the same part of the whole", at, got.Strides)
	}
}

// items lists the elements of an array in C order.
func items(a ndarray.Array) [][]byte { return slices.Collect(a.Items()) }

func testRegions(t *testing.T, a sources.Array, whole ndarray.Array) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	for range regions {
		checkRegion(t.Context(), t, r, a, whole, region(r, whole.Shape))
	}
}

func testConcurrent(t *testing.T, a sources.Array, whole ndarray.Array) {
	t.Helper()
	var readers sync.WaitGroup
	for i := range uint64(4) {
		readers.Go(func() {
			r := rand.New(rand.NewPCG(7, i))
			for range regions / 4 {
				checkRegion(t.Context(), t, r, a, whole, region(r, whole.Shape))
			}
		})
	}
	readers.Wait()
}

// testRefused asks for regions outside the array. Each of them has to be an error, and no
// panic.
func testRefused(t *testing.T, a sources.Array) {
	t.Helper()
	info := a.Info()
	n := len(info.Shape)
	for k := range n {
		for _, bad := range []ndarray.Region{
			{Start: at(n, k, -1), Shape: at(n, k, 0)},
			{Start: at(n, k, info.Shape[k]), Shape: at(n, k, 1)},
			{Start: at(n, k, 1<<62), Shape: at(n, k, 1)},
			{Start: at(n, k, 0), Shape: at(n, k, info.Shape[k]+1)},
		} {
			dst := ndarray.New(info.Type, bad.Shape)
			if err := a.ReadRegion(t.Context(), dst, bad.Start); err == nil {
				t.Errorf("region %v of shape %v was read", bad, info.Shape)
			}
		}
	}
	one := slices.Repeat([]int{1}, n+1)
	if err := a.ReadRegion(t.Context(), ndarray.New(info.Type, one), make([]int, n+1)); err == nil {
		t.Error("a region with one dimension too many was read")
	}
	other := dtype.RawBits(info.Type.Size() + 1)
	if err := a.ReadRegion(t.Context(), ndarray.New(other, make([]int, n)), make([]int, n)); err == nil {
		t.Error("a region was read into memory of another data type")
	}
}

// at returns n zeros with v at place k.
func at(n, k, v int) []int {
	list := make([]int, n)
	list[k] = v
	return list
}

func testCanceled(t *testing.T, a sources.Array) {
	t.Helper()
	whole := ndarray.New(a.Info().Type, a.Info().Shape)
	if len(whole.Data) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.ReadRegion(ctx, whole, make([]int, len(whole.Shape))); !errors.Is(err, context.Canceled) {
		t.Errorf("reading after cancellation gives %v", err)
	}
}
