package sources

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
)

// TestDetectAsksDrivers asks the drivers from the last one on until one is certain. Of
// drivers that are equally sure, the first that was asked counts.
func TestDetectAsksDrivers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("abc and more"), 0o600); err != nil {
		t.Fatal(err)
	}
	var asked []string
	driver := func(name string, sure Confidence, begins ...string) Driver {
		d := Driver{Name: name, Aliases: []string{name + "-alias"}, Detect: func(context.Context, *Probe) Confidence {
			asked = append(asked, name)
			return sure
		}}
		for _, b := range begins {
			d.Signatures = append(d.Signatures, Signature{Begins: b, What: "a " + name})
		}
		return d
	}
	for what, test := range map[string]struct {
		drivers Drivers
		want    string // name, "" for none
		sure    Confidence
		asked   string
	}{
		"none":            {Drivers{driver("a", No), driver("b", No, "xyz")}, "", No, "b a"},
		"the surest":      {Drivers{driver("a", Possible), driver("b", Likely), driver("c", No)}, "b", Likely, "c b a"},
		"equally sure":    {Drivers{driver("a", Likely), driver("b", Likely)}, "b", Likely, "b a"},
		"certain":         {Drivers{driver("a", Certain), driver("b", Certain), driver("c", Likely)}, "b", Certain, "c b"},
		"by a signature":  {Drivers{driver("a", Likely), driver("b", No, "xyz", "abc")}, "b", Certain, "b"},
		"other signature": {Drivers{driver("a", Likely), driver("b", No, "xyz")}, "a", Likely, "b a"},
	} {
		asked = nil
		got, sure, err := test.drivers.Detect(t.Context(), file, store.Options{})
		name := ""
		if got != nil {
			name = got.Name
		}
		if name != test.want || sure != test.sure || (err != nil) != (test.want == "") || strings.Join(asked, " ") != test.asked {
			t.Errorf("%s: %q, %v, %v; asked were %q", what, name, sure, err, asked)
		}
	}
	for url, want := range map[string]string{
		file:           `none of the drivers a, b reads it: it begins with "abc and "`,
		file + "-none": "none of the drivers a, b reads it: there is no file",
	} {
		list := Drivers{driver("a", No), {Name: "never asked"}, {Name: "b", Signatures: []Signature{{Begins: "xyz"}}}}
		if _, _, err := list.Detect(t.Context(), url, store.Options{}); err == nil || err.Error() != url+": "+want {
			t.Errorf("%v, want %s: %s", err, url, want)
		}
	}
	folders := Drivers{{Name: "a", Detect: func(ctx context.Context, p *Probe) Confidence {
		if p.IsFolder(ctx) || p.Holds(ctx, "k") {
			return Certain
		}
		return Possible
	}}}
	for _, url := range []string{"s3://bucket", "gs://bucket/folder", "azblob://container"} {
		if _, _, err := folders.Detect(t.Context(), url, store.Options{}); err == nil || !strings.Contains(err.Error(), "no request budget") {
			t.Errorf("%s: got %v, want the error of opening the store", url, err)
		}
	}
	list := Drivers{driver("a", No), driver("b", No)}
	for name, want := range map[string]string{"a": "a", "b": "b", "a-alias": "a", "b-alias": "b", "c": "", "": ""} {
		got, ok := list.Lookup(name)
		if ok != (want != "") || ok && got.Name != want {
			t.Errorf("%q: %v, %v", name, got, ok)
		}
	}
	if got := list.Names(); !slices.Equal(got, []string{"a", "a-alias", "b", "b-alias"}) {
		t.Errorf("names %q", got)
	}
}
