package places

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/sources"
)

// TestApart has targets and checkpoints in, around and beside a source.
func TestApart(t *testing.T) {
	const server = "?region=r&endpoint=http://one"
	for name, test := range map[string]struct{ file, source, target, checkpoint, want string }{
		"beside":                         {"s3://b/in.zarr/zarr.json", "s3://b/in.zarr" + server, "s3://b/out.zarr" + server, "", ""},
		"same name":                      {"s3://b/in.zarr/zarr.json", "s3://b/in.zarr" + server, "s3://b/in.zarr.copy" + server, "", ""},
		"another server":                 {"s3://b/in.zarr/zarr.json", "s3://b/in.zarr" + server, "s3://b/in.zarr/out?endpoint=http://two", "", ""},
		"another bucket":                 {"s3://b/in.zarr/zarr.json", "s3://b/in.zarr" + server, "s3://c/in.zarr/out" + server, "", ""},
		"onto":                           {"s3://b/in.zarr/zarr.json", "s3://b/in.zarr" + server, "s3://b/in.zarr" + server, "", "target.url: the source file s3://b/in.zarr/zarr.json lies inside the target"},
		"within":                         {"s3://b/in.zarr/.zgroup", "s3://b/in.zarr" + server, "s3://b/in.zarr/out" + server, "", "target.url: the target lies inside of s3://b/in.zarr, which is part of the source"},
		"within N5":                      {"s3://b/in.n5/attributes.json", "s3://b/in.n5" + server, "s3://b/in.n5/out" + server, "", "target.url: the target lies inside of s3://b/in.n5, which is part of the source"},
		"within a root without document": {"s3://b/all/in.zarr/zarr.json", "s3://b/all" + server, "s3://b/all/out.zarr" + server, "", "target.url: the target lies inside of s3://b/all" + server + ", which is the source"},
		"within a folder of files":       {"s3://b/all/a.nc", "s3://b/all/*.nc" + server, "s3://b/all/out.zarr" + server, "", ""},
		"beside one of many":             {"s3://b/all/in.zarr/zarr.json", "s3://b/all/*.zarr" + server, "s3://b/all/out" + server, "", ""},
		"checkpoint within":              {"s3://b/in.zarr/.zmetadata", "s3://b/in.zarr" + server, "s3://b/out.zarr" + server, "s3://b/in.zarr/check" + server, "run.checkpoint.url: the checkpoint lies inside of s3://b/in.zarr"},
		"checkpoint around":              {"s3://b/in/a.nc", "s3://b/in/*.nc" + server, "s3://b/out.zarr" + server, "s3://b/in" + server, "run.checkpoint.url: the source file s3://b/in/a.nc lies inside the checkpoint"},
		"checkpoint elsewhere":           {"s3://b/in.zarr/.zarray", "s3://b/in.zarr" + server, "s3://b/out.zarr" + server, "/state", ""},
		"beside a file":                  {"/data/a.nc", "/data/a.nc", "/data/a.zarr", "", ""},
		"in the place of a file":         {"/data/a.nc", "/data/a.nc", "/data/a.nc", "", "target.url"},
		"around a file":                  {"/data/a.nc", "/data/a.nc", "/data", "", "target.url"},
		"checkpoint of the target":       {"/data/out.zarr.zmigrate/a.nc", "/data/out.zarr.zmigrate/a.nc", "/data/out.zarr", "", "run.checkpoint.url"},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf("zmigrate: 1\nsource: {driver: netcdf, url: %q}\ntarget: {url: %q}\n", test.source, test.target)
			if test.checkpoint != "" {
				text += fmt.Sprintf("run: {checkpoint: {url: %q}}\n", test.checkpoint)
			}
			j := jobtest.Parse(t, "/data", text)
			_, err := Apart(j, slices.Values([]sources.File{{URL: test.file}}))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
