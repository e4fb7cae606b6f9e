package zarr_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/ngff"
	"github.com/zmigrate/zmigrate/sources"
)

// TestImages opens images with OME-NGFF metadata of version 0.4. Their arrays have the names of
// the axes if the numbers agree. Without the option, nothing changes.
func TestImages(t *testing.T) {
	const image = `"multiscales":[{"version":"0.4","axes":[{"name":"y"},{"name":"x"}],"datasets":[` +
		`{"path":"plain","coordinateTransformations":[{"type":"scale","scale":[1,1]}]},` +
		`{"path":"own","coordinateTransformations":[{"type":"scale","scale":[1,1]}]},` +
		`{"path":"same","coordinateTransformations":[{"type":"scale","scale":[1,1]}]},` +
		`{"path":"flat","coordinateTransformations":[{"type":"scale","scale":[1,1]}]}]}]`
	array := v2(t, map[string]any{"dtype": "<f4"})
	p := newPlace(t, map[string]string{
		".zgroup": groupV2, ".zattrs": `{"bioformats2raw.layout":3}`, "OME/.zgroup": groupV2, "OME/.zattrs": `{"series":["g"]}`, "g/.zgroup": groupV2, "g/.zattrs": `{"mine":1,` + image + `}`, "g/plain/.zarray": array,
		"g/own/.zarray": array, "g/own/.zattrs": `{"_ARRAY_DIMENSIONS":["a","b"]}`,
		"g/same/.zarray": array, "g/same/.zattrs": `{"_ARRAY_DIMENSIONS":["y","x"]}`,
		"g/flat/.zarray": v2(t, map[string]any{"dtype": "<f4", "shape": []int{4}, "chunks": []int{2}}), "other/.zarray": array,
		"bad/.zgroup": `{"zarr_format":4}`, "bad/.zattrs": `{` + image + `}`,
	})
	options := p.options()
	type seen struct {
		Names, Own []string
		Axes       bool
		Findings   int
	}
	look := func(source sources.Source) (ome bool, arrays map[string]seen) {
		t.Helper()
		arrays = map[string]seen{}
		for _, name := range source.Arrays() {
			a, err := source.Array(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			info := a.Info()
			count := 0
			for _, f := range info.Findings {
				if f.Code == ngff.Axes {
					count++
				}
			}
			arrays[name] = seen{info.DimensionNames, info.OwnNames, info.Axes, count}
		}
		for _, g := range source.Groups() {
			if metadata := g.Path != "bad"; metadata && (g.Own != nil) != (g.Attributes.Get("ome") != nil) || metadata != (g.Own != nil) && options.NGFF {
				t.Errorf("group %q has the attributes %v and of its own %v", g.Path, g.Attributes, g.Own)
			}
		}
		g := source.Groups()[slices.IndexFunc(source.Groups(), func(g sources.Group) bool { return g.Path == "g" })]
		ome = g.Attributes.Get("ome") != nil
		if ome != (g.Own != nil) || ome != (len(g.Findings) == 1) || g.Attributes.Get("mine") == nil || ome == (g.Attributes.Get("multiscales") != nil) {
			t.Errorf("the group has %v, %d findings and of its own %v", g.Attributes, len(g.Findings), g.Own)
		}
		return ome, arrays
	}
	ome, got := look(open(t, url, options))
	yx, ab := []string{"y", "x"}, []string{"a", "b"}
	want := map[string]seen{"g/plain": {}, "g/own": {Names: ab}, "g/same": {Names: yx}, "g/flat": {}, "other": {}}
	if diff := cmp.Diff(want, got); diff != "" || ome {
		t.Errorf("kept: ome %v, arrays (-want +got):\n%s", ome, diff)
	}
	options.NGFF = true
	ome, got = look(open(t, url, options))
	want = map[string]seen{"g/plain": {yx, nil, true, 0}, "g/own": {yx, ab, true, 1}, "g/same": {Names: yx}, "g/flat": {Findings: 1}, "other": {}}
	if diff := cmp.Diff(want, got); diff != "" || !ome {
		t.Errorf("converted: ome %v, arrays (-want +got):\n%s", ome, diff)
	}
}
