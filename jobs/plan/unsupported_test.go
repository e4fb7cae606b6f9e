package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// TestUnsupported plans sources with arrays that Zarr has no data type for, or that are
// stored in a way that this program does not know. Such an array is an error that tells the
// way out. If the job skips such arrays and does not name this one, it is left out with a
// finding.
func TestUnsupported(t *testing.T) {
	dir := t.TempDir()
	foreign := func(driver, name string) string {
		return string(sourcetest.Zipped(t, "../../sources/"+driver+"/testdata/foreign.zip", name))
	}
	for name, text := range map[string]string{
		"smpl_unsupptype.h5":              foreign("netcdf", "smpl_unsupptype.h5"),
		"nulls.arrow":                     string(sourcetest.Zipped(t, "../../sources/arrow/testdata/integration.zip", "1.0.0-bigendian_generated_null_trivial.arrow_file")),
		"repeated_no_annotation.parquet":  foreign("arrow", "repeated_no_annotation.parquet"),
		"codec_lzo_snappy_v1.parquet":     foreign("arrow", "codec_lzo_snappy_v1.parquet"),
		"in.zarr/zarr.json":               `{"zarr_format":3,"node_type":"group"}`,
		"in.zarr/plain/zarr.json":         `{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":0,"codecs":["bytes"],"chunk_key_encoding":"default","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}}}`,
		"in.zarr/codec/zarr.json":         `{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":0,"codecs":["bytes","lzo"],"chunk_key_encoding":"default","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}}}`,
		"in.zarr/type/zarr.json":          `{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"posit8","fill_value":0,"codecs":["bytes"],"chunk_key_encoding":"default","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}}}`,
		"more.zarr/.zgroup":               `{"zarr_format":2}`,
		"more.zarr/field/zarr.json":       `{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":0,"codecs":["bytes"],"chunk_key_encoding":"default","quantum":{},"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}}}`,
		"more.zarr/grid/zarr.json":        `{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":0,"codecs":["bytes"],"chunk_key_encoding":"default","chunk_grid":"hexagonal"}`,
		"more.zarr/keys/zarr.json":        `{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":0,"codecs":["bytes"],"chunk_key_encoding":"hashed","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}}}`,
		"more.zarr/transformer/zarr.json": `{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":0,"codecs":["bytes"],"chunk_key_encoding":"default","storage_transformers":["entangle"],"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}}}`,
		"more.zarr/no_text/.zarray":       `{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"<U0","fill_value":null,"order":"C","filters":null,"compressor":null}`,
		"more.zarr/several/.zarray":       `{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":[["v","<f4",[2]]],"fill_value":null,"order":"C","filters":null,"compressor":null}`,
		"in.zarr/faulty/zarr.json":        `{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":0,"codecs":["bytes"],"chunk_key_encoding":"default"`,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const way = "exclude it, or leave all such arrays out with source.unsupported: skip"
	for name, test := range map[string]struct {
		source string
		arrays int      // that are planned
		left   []string // that are left out
		fails  []string // in the error
	}{
		"hdf5":              {`driver: netcdf, url: smpl_unsupptype.h5`, 0, nil, []string{`"CompoundChunked"`, "no variable length", way}},
		"hdf5, skip":        {`driver: netcdf, url: smpl_unsupptype.h5, unsupported: skip`, 0, []string{"CompoundChunked", "no array is left"}, nil},
		"hdf5, named":       {`driver: netcdf, url: smpl_unsupptype.h5, unsupported: skip, include: [CompoundChunked]`, 0, nil, []string{"no variable length", "the job names it"}},
		"arrow":             {`driver: arrow, url: nulls.arrow, include: ["f*"]`, 0, nil, []string{`"f0"`, "nothing but nulls", way}},
		"arrow, error":      {`driver: arrow, url: nulls.arrow, include: ["f*"], unsupported: error`, 0, nil, []string{"nothing but nulls", way}},
		"arrow, skip":       {`driver: arrow, url: nulls.arrow, include: ["f*"], unsupported: skip`, 0, []string{"f0", "no array is left"}, nil},
		"a null list":       {`driver: arrow, url: repeated_no_annotation.parquet`, 0, nil, []string{`"phoneNumbers/phone/offsets"`, "the list of row 0 is null", "a fill_value"}},
		"compression":       {`driver: arrow, url: codec_lzo_snappy_v1.parquet`, 0, nil, []string{"compression LZO", way}},
		"zarr":              {`driver: zarr, url: in.zarr, exclude: [faulty]`, 0, nil, []string{`"lzo"`, "posit8", way}},
		"zarr, skip":        {`driver: zarr, url: in.zarr, exclude: [faulty], unsupported: skip`, 1, []string{"codec", "type"}, nil},
		"zarr, one by one":  {`driver: zarr, url: in.zarr, exclude: [faulty, type], unsupported: skip, include: [plain, "c*"]`, 1, []string{"codec"}, nil},
		"zarr, extensions":  {`driver: zarr, url: more.zarr, unsupported: skip`, 0, []string{"field", "grid", "keys", "no array is left", "no_text", "several", "transformer"}, nil},
		"zarr, types of v2": {`driver: zarr, url: more.zarr, include: [several, no_text]`, 0, nil, []string{`"U0": want a length`, `"v"`, "[2] elements of float32", way}},
		"damage is none":    {`driver: zarr, url: in.zarr, unsupported: skip`, 0, nil, []string{`"faulty"`}},
	} {
		t.Run(name, func(t *testing.T) {
			j := jobtest.Parse(t, dir, "zmigrate: 1\nsource: {"+test.source+"}\ntarget: {url: mem://out}\n")
			p, err := New(t.Context(), j, jobtest.Environment())
			if len(test.fails) > 0 {
				for _, part := range test.fails {
					if err == nil || !strings.Contains(err.Error(), part) {
						t.Errorf("error %v, want %q in it", err, part)
					}
				}
				if err != nil && strings.Contains(err.Error(), "unsupported: skip") != (slices.Contains(test.fails, way)) {
					t.Errorf("the way out: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, f := range p.Findings {
				if f.Code == "left-out" {
					what, _, _ := strings.Cut(f.Message, ": ")
					left = append(left, strings.Split(what+`"`+what, `"`)[1])
					if !f.Warning || f.Field != "source.unsupported" {
						t.Errorf("%+v", f)
					}
				}
			}
			slices.Sort(left)
			if diff := cmp.Diff(test.left, left); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			if len(p.Arrays) != test.arrays {
				t.Errorf("%d arrays, want %d: %s", len(p.Arrays), test.arrays, fmt.Sprint(p.Findings))
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestUnknownFilters plans a file with many datasets of one filter that has no decoder.
func TestUnknownFilters(t *testing.T) {
	dir := reservedFolder(t)
	j := jobtest.Parse(t, dir, "zmigrate: 1\ntarget: {url: out.zarr}\nsource: {driver: netcdf, url: unknown_filters.h5}\n")
	_, err := New(t.Context(), j, jobtest.Environment())
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], filepath.Join(dir, "unknown_filters.h5")) || !strings.Contains(err.Error(), "and 5 more arrays: ") || !strings.Contains(err.Error(), "h5repack") {
		t.Errorf("%s", err)
	}
}
