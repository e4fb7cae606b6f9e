package ngff

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/zarr"
)

// The documents are written by hand, after the examples of the specifications.
const (
	axes4     = `"axes":[{"name":"y","type":"space","unit":"micrometer"},{"name":"x","type":"space"}]`
	datasets4 = `"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[0.50,1]}]},{"path":"1","coordinateTransformations":[{"type":"scale","scale":[1,2]},{"type":"translation","translation":[0.25,5e-1]}]}]`
	image4    = `"multiscales":[{"version":"0.4","name":"a < b & é",` + axes4 + `,` + datasets4 + `,"type":"gaussian","metadata":{"version":"1"}}]`
	image5    = `"multiscales":[{"name":"a < b & é",` + axes4 + `,` + datasets4 + `,"type":"gaussian","metadata":{"version":"1"}}]`
	plate4    = `"plate":{"version":"0.4","rows":[{"name":"A"}],"columns":[{"name":"1"},{"name":"2"}],"wells":[{"path":"A/1","rowIndex":0,"columnIndex":0},{"path":"A/2","rowIndex":0,"columnIndex":1}]}`
	well4     = `"well":{"images":[{"path":"0","acquisition":1},{"path":"1"}],"version":"0.4"}`
	label4    = `"image-label":{"version":"0.4","colors":[{"label-value":1,"rgba":[1,2,3,4]}],"source":{"image":"../../"}}`
	omero4    = `"omero":{"version":"0.3","channels":[{"color":"FF0000","window":{"start":0,"end":1,"min":0,"max":1}}]}`
)

func attributes(t *testing.T, text string) (list zarr.Attributes) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return list
}

// TestConvert converts the metadata of groups. The other groups of a hierarchy decide what
// some of them mean.
func TestConvert(t *testing.T) {
	image := strings.NewReplacer
	for name, c := range map[string]struct {
		group, attributes string
		others            map[string]string
		want              string // "": the attributes stay
		code, message     string // of the finding; "": there is none
	}{
		"image":        {"", `{"mine":[1],` + image4 + `,` + omero4 + `}`, nil, `{"mine":[1],"ome":{"version":"0.5",` + image5 + `,` + strings.Replace(omero4, `"version":"0.3",`, "", 1) + `}}`, Converted, "of version 0.4"},
		"no version":   {"", `{` + strings.Replace(image4, `"version":"0.4",`, "", 1) + `}`, nil, `{"ome":{"version":"0.5",` + image5 + `}}`, Converted, ""},
		"label image":  {"labels/a", `{` + image4 + `,` + label4 + `}`, nil, `{"ome":{"version":"0.5",` + image5 + `,` + strings.Replace(label4, "0.4", "0.5", 1) + `}}`, Converted, ""},
		"plate":        {"", `{` + plate4 + `}`, nil, `{"ome":{"version":"0.5",` + strings.Replace(plate4, "0.4", "0.5", 1) + `}}`, Converted, ""},
		"well":         {"A/1", `{` + well4 + `}`, nil, `{"ome":{"version":"0.5",` + strings.Replace(well4, "0.4", "0.5", 1) + `}}`, Converted, ""},
		"bare well":    {"A/1", `{"well":{"images":[{"path":"0"}]}}`, nil, `{"ome":{"version":"0.5","well":{"images":[{"path":"0"}],"version":"0.5"}}}`, Converted, ""},
		"labels":       {"i/labels", `{"labels":["a"]}`, map[string]string{"i": `{` + image4 + `}`}, `{"ome":{"version":"0.5","labels":["a"]}}`, Converted, ""},
		"labels of 5":  {"i/labels", `{"labels":["a"]}`, map[string]string{"i": `{"ome":{` + image5 + `}}`}, `{"ome":{"version":"0.5","labels":["a"]}}`, Converted, ""},
		"labels alone": {"", `{"labels":["a/b"]}`, map[string]string{"a/b": `{` + image4 + `}`}, `{"ome":{"version":"0.5","labels":["a/b"]}}`, Converted, ""},
		"layout":       {"", `{"bioformats2raw.layout":3}`, nil, `{"ome":{"version":"0.5","bioformats2raw.layout":3}}`, Converted, "METADATA.ome.xml is no part of a Zarr hierarchy and is not copied: put it into"},
		"series":       {"OME", `{"series":["0","1"]}`, map[string]string{"": `{"bioformats2raw.layout":3}`}, `{"ome":{"version":"0.5","series":["0","1"]}}`, Converted, ""},

		"nothing":              {"", `{"a":1}`, nil, "", "", ""},
		"wells of oil":         {"", `{"well":{"depth":3},"plate":"A","series":["a"],"labels":["x"],"omero":{},"multiscales":true}`, nil, "", "", ""},
		"labels of no image":   {"labels", `{"labels":["a"]}`, map[string]string{"": `{}`, "labels/a": `{}`}, "", "", ""},
		"0.5":                  {"", `{"ome":{"version":"0.5",` + image5 + `},` + image4 + `}`, nil, "", "", ""},
		"another ome":          {"", `{"ome":"text",` + image4 + `}`, nil, "", Kept, "another attribute ome"},
		"0.1":                  {"", `{"multiscales":[{"version":"0.1","datasets":[{"path":"0"}]}]}`, nil, "", Kept, `version "0.1"`},
		"0.3":                  {"", `{"multiscales":[{"version":"0.3","axes":["y","x"],"datasets":[{"path":"0"}]}]}`, nil, "", Kept, `version "0.3"`},
		"0.3 without version":  {"", `{"multiscales":[{"axes":["y","x"],"datasets":[{"path":"0"}]}]}`, nil, "", Kept, "no scales"},
		"two versions":         {"", `{"multiscales":[{"version":"0.4",` + axes4 + `,` + datasets4 + `},{"version":"0.3","datasets":[{"path":"0"}]}]}`, nil, "", Kept, `"0.3"`},
		"no transformations":   {"", `{"multiscales":[{"version":"0.4",` + axes4 + `,"datasets":[{"path":"0"}]}]}`, nil, "", Kept, "coordinateTransformations"},
		"translation alone":    {"", image(`"type":"scale"`, `"type":"translation"`).Replace(`{` + image4 + `}`), nil, "", Kept, "no scale"},
		"one axis":             {"", `{"multiscales":[{"version":"0.4","axes":[{"name":"x"}],` + datasets4 + `}]}`, nil, "", Kept, "2 to 5"},
		"axes of one name":     {"", image(`"name":"y"`, `"name":"x"`).Replace(`{` + image4 + `}`), nil, "", Kept, "name of its own"},
		"dataset without path": {"", image(`"path":"1",`, "").Replace(`{` + image4 + `}`), nil, "", Kept, "no path"},
		"old plate":            {"", `{"plate":{"rows":[],"columns":[],"wells":[{"path":"A/1"}]}}`, nil, "", Kept, "rowIndex"},
		"plate of 0.2":         {"", image("0.4", "0.2").Replace(`{` + plate4 + `}`), nil, "", Kept, `"0.2"`},
		"omero of no channels": {"", `{` + image4 + `,"omero":{"id":1}}`, nil, "", Kept, "channels"},
	} {
		list := attributes(t, c.attributes)
		got, f := Convert(c.group, list, func(p string) zarr.Attributes {
			if text, ok := c.others[p]; ok {
				return attributes(t, text)
			}
			return nil
		})
		want := c.want
		if want == "" {
			want = c.attributes
		}
		if diff := cmp.Diff(want, string(written(got))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		switch {
		case (f == nil) != (c.code == ""):
			t.Errorf("%s: finding %v, want %q", name, f, c.code)
		case f != nil && (f.Code != c.code || !strings.Contains(f.Message, c.message)):
			t.Errorf("%s: finding %v, want %s with %q", name, *f, c.code, c.message)
		}
		if diff := cmp.Diff(c.attributes, string(written(list))); diff != "" {
			t.Errorf("%s: Convert has changed its argument: %s", name, diff)
		}
	}
}

// TestAxisNames names the dimensions of the arrays of images.
func TestAxisNames(t *testing.T) {
	other := `{"axes":[{"name":"t"},{"name":"x"}],"datasets":[{"path":"1","coordinateTransformations":[{"type":"scale","scale":[1,1]}]},{"path":"b/2","coordinateTransformations":[{"type":"scale","scale":[1,1]}]}]}`
	images := Multiscales(json.RawMessage(`{"multiscales":[{` + axes4 + `,` + datasets4 + `},` + other + `,{"datasets":[{"path":"3"}]}]}`))
	want := map[string][]string{"g/0": {"y", "x"}, "g/b/2": {"t", "x"}} // g/1 has two sets of names
	if diff := cmp.Diff(want, AxisNames("g", images)); diff != "" {
		t.Error(diff)
	}
}

// TestRetarget moves nodes and leaves some out.
func TestRetarget(t *testing.T) {
	dataset := func(path string) string {
		return `{"path":"` + path + `","coordinateTransformations":[{"type":"scale","scale":[0.50,1]}]}`
	}
	images := func(lists ...string) string {
		var parts []string
		for _, l := range lists {
			parts = append(parts, `{`+axes4+`,"datasets":[`+l+`]}`)
		}
		return `"multiscales":[` + strings.Join(parts, ",") + `]`
	}
	for name, c := range map[string]struct {
		ome  string
		want string // "": it stays; "nothing": nothing is left
		what Change
	}{
		"all there":  {`{"version":"0.5",` + images(dataset("0")) + ` }`, "", Change{}},
		"moved":      {`{"version":"0.5",` + images(dataset("0")+","+dataset("old")) + `}`, `{"version":"0.5",` + images(dataset("0")+","+dataset("new")) + `}`, Change{Moved: []string{"old"}}},
		"left out":   {`{"version":"0.5",` + images(dataset("gone")+","+dataset("0")) + `}`, `{"version":"0.5",` + images(dataset("0")) + `}`, Change{Without: []string{"gone"}}},
		"one image":  {`{"version":"0.5",` + images(dataset("gone"), dataset("0")) + `}`, `{"version":"0.5",` + images(dataset("0")) + `}`, Change{Without: []string{"gone"}}},
		"no image":   {`{"version":"0.5",` + images(dataset("gone")) + `,"omero":{},"image-label":{}}`, "nothing", Change{Without: []string{"gone"}}},
		"no dataset": {`{"version":"0.5",` + images(dataset("gone")) + `,"mine":1}`, `{"version":"0.5","mine":1}`, Change{Without: []string{"gone"}}},
		"nowhere":    {`{"version":"0.5",` + images(dataset("nowhere")) + `}`, "", Change{Broken: []string{"nowhere"}}},
		"wells":      {`{"version":"0.5","plate":{"name":"p","wells":[{"path":"gone"},{"path":"old","rowIndex":0}]}}`, `{"version":"0.5","plate":{"name":"p","wells":[{"path":"new","rowIndex":0}]}}`, Change{Moved: []string{"old"}, Without: []string{"gone"}}},
		"no well":    {`{"version":"0.5","plate":{"wells":[{"path":"gone"}]}}`, "nothing", Change{Without: []string{"gone"}}},
		"fields":     {`{"version":"0.5","well":{"images":[{"path":"gone"},{"path":"0"}]}}`, `{"version":"0.5","well":{"images":[{"path":"0"}]}}`, Change{Without: []string{"gone"}}},
		"labels":     {`{"version":"0.5","labels":["gone","old","a"]}`, `{"version":"0.5","labels":["new","a"]}`, Change{Moved: []string{"old"}, Without: []string{"gone"}}},
		"series":     {`{"version":"0.5","series":["gone","0"]}`, `{"version":"0.5","series":["0"]}`, Change{Without: []string{"../gone"}}},
		"source":     {`{"version":"0.5","image-label":{"source":{"image":"nowhere"}}}`, "", Change{Broken: []string{"nowhere"}}},
		"no object":  {`"text"`, "", Change{}},
		"odd lists":  {`{"multiscales":1,"plate":{"wells":{}},"well":[],"labels":[1],"series":null}`, "", Change{}},
	} {
		got, what := Retarget(json.RawMessage(c.ome), func(p string) (string, Place) {
			switch strings.TrimPrefix(p, "../") {
			case "gone":
				return "", Without
			case "nowhere":
				return "", Nowhere
			case "old":
				return "new", There
			}
			return p, There
		})
		want := c.want
		switch want {
		case "":
			want = c.ome
		case "nothing":
			want = ""
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.what, what); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzConvert converts attributes of any form, and moves what they name: nothing panics, and
// the result is JSON.
func FuzzConvert(f *testing.F) {
	for _, text := range []string{image4 + `,` + omero4, plate4, well4, image4 + `,` + label4, `"labels":["a"]`, `"series":["0"],"bioformats2raw.layout":3`, `"ome":{` + image5 + `}`} {
		f.Add([]byte(`{` + text + `}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var list zarr.Attributes
		if json.Unmarshal(text, &list) != nil {
			return
		}
		got, _ := Convert("OME", list, func(string) zarr.Attributes { return list })
		AxisNames("", Multiscales(got.Get(Attribute)))
		ome, _ := Retarget(got.Get(Attribute), func(p string) (string, Place) { return "x" + p, Place(len(p) % 3) })
		if !json.Valid(written(got)) || ome != nil && !json.Valid(ome) {
			t.Errorf("%s becomes %s and %s", text, written(got), ome)
		}
	})
}
