package plan

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestLimitsOfEarlierVersion plans joined files whose actual_range differs once more, for a
// target in which an earlier version has kept that of the first file. It stays.
func TestLimitsOfEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	for name, limits := range map[string]string{"1": "[0,6]", "2": "[-1,3]"} {
		for path, text := range map[string]string{
			"zarr.json": `{"zarr_format":3,"node_type":"group","attributes":{}}`,
			"v/zarr.json": `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"int16","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},` +
				`"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":["bytes"],"dimension_names":["x"],"attributes":{"actual_range":` + limits + `}}`,
		} {
			file := filepath.Join(dir, name+".zarr", path)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	j, err := jobfile.Parse("job.yaml", []byte(`
zmigrate: 1
source: {driver: zarr, url: "*.zarr", concat: x}
target: {url: out}
`), dir, jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(planOf(t, j).Arrays[0].Meta.Attributes.Get("actual_range")); got != "[-1,6]" {
		t.Fatalf("the joined array has the limits %s", got)
	}
	keepsEarlier(t, j, "actual_range", "[0,6]")
}
