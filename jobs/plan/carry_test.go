package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Objects are carried through if the target would have the same objects. Otherwise the plan
// says why not.
func TestWhatIsCarriedThrough(t *testing.T) {
	const v2 = `{"zarr_format": 2, "shape": [40, 60], "chunks": [20, 30], "dtype": "<f4", "fill_value": 0, "order": "C", "filters": null, "compressor": {"id": "zstd", "level": 7}}`
	const sharded = `{"zarr_format": 3, "node_type": "array", "shape": [40, 60], "data_type": "int16", "chunk_key_encoding": "default", "fill_value": 0,
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [20, 30]}}, "codecs": [{"name": "sharding_indexed", "configuration":
			{"chunk_shape": [10, 15], "codecs": ["bytes", {"name": "zstd", "configuration": {"level": 7}}], "index_codecs": ["bytes"], "index_location": "start"}}]}`
	const texts = `{"zarr_format": 3, "node_type": "array", "shape": [5], "data_type": "string", "chunk_key_encoding": "default", "fill_value": "",
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}}, "codecs": ["vlen-utf8", "crc32c"]}`
	const packing = `{"scale_factor": 0.5, "_FillValue": 0}`
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain/.zarray":     v2,
		"blosc/.zarray":     strings.Replace(v2, `{"id": "zstd", "level": 7}`, `{"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": -1}`, 1),
		"fortran/.zarray":   strings.Replace(strings.Replace(v2, `"C"`, `"F"`, 1), "<f4", ">f4", 1),
		"no_fill/.zarray":   strings.Replace(v2, `"fill_value": 0`, `"fill_value": null`, 1),
		"nan/.zarray":       strings.Replace(v2, `"fill_value": 0`, `"fill_value": "NaN"`, 1),
		"mixed/.zarray":     strings.Replace(strings.Replace(v2, `"<f4"`, `[["a", "<i4"], ["b", ">i4"]]`, 1), `"fill_value": 0`, `"fill_value": null`, 1),
		"packed/.zarray":    strings.Replace(v2, "<f4", "<i2", 1),
		"packed/.zattrs":    packing,
		"sharded/zarr.json": sharded,
		"uneven/zarr.json": `{"zarr_format": 3, "node_type": "array", "shape": [5], "data_type": "int16", "chunk_key_encoding": "default", "fill_value": 0, "codecs": ["bytes"],
			"chunk_grid": {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[3, 2]]}}}`,
		"texts/zarr.json":   texts,
		"summed/zarr.json":  strings.Replace(texts, "crc32c", "numcodecs.fletcher32", 1),
		"squared/zarr.json": strings.Replace(sharded, "{", `{"attributes": `+packing+`,`, 1),
	} {
		file := filepath.Join(dir, "in.zarr", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct{ array, options, more, reason string }{
		"nothing":                   {"plain", `{}`, "", ""},
		"in words":                  {"plain", `{chunks: [20, 30], codecs: [bytes, {zstd: {level: 7}}], data_type: float32, fill_value: 0.0}`, "", ""},
		"metadata":                  {"plain", `{attributes: {units: K}, dimension_names: [y, x]}`, "", ""},
		"blosc":                     {"blosc", `{}`, "", ""},
		"blosc by its name":         {"blosc", `{codecs: [bytes, {blosc: {cname: lz4}}]}`, "", ""},
		"blosc by its former name":  {"blosc", `{codecs: [bytes, {numcodecs.blosc: {cname: lz4, shuffle: 1}}]}`, "", ""},
		"another blosc":             {"blosc", `{codecs: [bytes, {blosc: {cname: lz4, shuffle: bitshuffle}}]}`, "", "other codecs"},
		"another former blosc":      {"blosc", `{codecs: [bytes, {numcodecs.blosc: {cname: lz4, typesize: 2}}]}`, "", "other codecs"},
		"F order, big-endian":       {"fortran", `{}`, "", ""},
		"no fill value":             {"no_fill", `{}`, "", ""},
		"no fill value, then one":   {"no_fill", `{fill_value: 0.0}`, "", ""},
		"NaN":                       {"nan", `{fill_value: NaN}`, "", ""},
		"shards":                    {"sharded", `{}`, "", ""},
		"packed, kept":              {"packed", `{}`, "", ""},
		"packed, by codecs":         {"packed", `{cf: codecs}`, "", ""},
		"packed shards, by codecs":  {"squared", `{cf: codecs}`, "", ""},
		"packed, unpacked":          {"packed", `{cf: unpack}`, "", "cf: unpack changes the values"},
		"run.path":                  {"plain", `{}`, "run: {path: decode}", "run.path is decode"},
		"data type":                 {"plain", `{data_type: float64}`, "", "another data type"},
		"chunks":                    {"plain", `{chunks: [40, 60]}`, "", "other chunks"},
		"shards of its chunks":      {"plain", `{shards: [40, 60]}`, "", "other chunks"},
		"shards of one chunk":       {"plain", `{shards: [20, 30]}`, "", "other codecs"},
		"inner chunks":              {"sharded", `{chunks: [20, 15], shards: [20, 30]}`, "", "other codecs"},
		"fill value":                {"plain", `{fill_value: 1.0}`, "", "another fill value"},
		"another zero":              {"plain", `{fill_value: -0.0}`, "", "another fill value"},
		"another NaN":               {"nan", `{fill_value: "0x7fc00001"}`, "", "another fill value"},
		"codecs":                    {"plain", `{codecs: [bytes]}`, "", "other codecs"},
		"level":                     {"plain", `{codecs: [bytes, {zstd: {level: 3}}]}`, "", "other codecs"},
		"byte order":                {"plain", `{codecs: [{bytes: {endian: big}}, {zstd: {level: 7}}]}`, "", "other codecs"},
		"uneven chunks":             {"uneven", `{}`, "", "no Zarr v3 array with a regular chunk grid has the same objects"},
		"texts":                     {"texts", `{}`, "", ""},
		"texts summed whole":        {"summed", `{}`, "", "a checksum that takes all of an object, whose size has no bound, in memory"},
		"fields of two byte orders": {"mixed", `{}`, "", "no Zarr v3 array with a regular chunk grid has the same objects"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "zmigrate: 1\nsource: {driver: zarr, url: in.zarr, include: [" + test.array + "]}\ntarget: {url: out.zarr}\ndefaults: " + test.options + "\n" + test.more + "\n"
			p := planned(t, dir, text)
			if a := p.Arrays[0]; a.Reason != test.reason || (a.stored != nil) != (test.reason == "") {
				t.Errorf("reason %q, want %q", a.Reason, test.reason)
			}
		})
	}
	p := planned(t, dir, "zmigrate: 1\nsource: {driver: zarr, url: in.zarr, include: [plain]}\ntarget: {url: out.zarr, store_empty_chunks: true}\n")
	if a := p.Arrays[0]; !strings.HasPrefix(a.Reason, "store_empty_chunks") {
		t.Errorf("reason %q", a.Reason)
	}
}
