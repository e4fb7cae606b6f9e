package jobs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

func standard() Environment { return Environment{Codecs: codecs.Standard(), Types: dtype.Standard()} }

func TestCheckAcceptsGoodJobs(t *testing.T) {
	for name, text := range map[string]string{
		"netcdf": small + `
defaults: {codecs: [bytes, {zstd: {level: 3}}, crc32c]}
arrays:
  SST: {chunks: [1, 2], codecs: [{transpose: {order: [1, 0]}}, bytes, {gzip: {level: 1}}], data_type: float32, fill_value: .nan}
`,
		"raw": `zmigrate: 1
source:
  driver: raw
  arrays:
    a: {url: a.bin, data_type: "<f4", endian: little, shape: [4, 6], dimension_names: [y, x]}
    b: {url: "t*.bin", stack: t, data_type: uint8, shape: [6]}
    c: {url: [1.bin, 2.bin], concat: t, dimension_names: [t], data_type: int64, shape: [6]}
target: {url: out.zarr}
arrays:
  a: {chunks: [2, 3], codecs: [{transpose: {order: F}}, {bytes: {endian: big}}], data_type: float32, fill_value: "0x7fc00001"}
  b: {chunks: [1, 6]}
  c: {fill_value: -9223372036854775808}
`,
	} {
		if ps := mustParse(t, text).Check(standard()); ps != nil {
			t.Errorf("%s: %v", name, ps)
		}
	}
}

func TestRawArrayType(t *testing.T) {
	for _, tt := range []struct {
		dataType, endian string
		name, order      string // of the result
		field            string // at fault
	}{
		{`"float32"`, "", "float32", "little", ""},
		{`"float32"`, "big", "float32", "big", ""},
		{`">i2"`, "", "int16", "big", ""},
		{`">i2"`, "big", "int16", "big", ""},
		{`">i2"`, "little", "", "", "endian"},
		{`"|u1"`, "big", "uint8", "none", ""},
		{`"uint8"`, "little", "uint8", "none", ""},
		{`"<q9"`, "", "", "", "data_type"},
		{`"flaot32"`, "", "", "", "data_type"},
	} {
		typ, order, field, err := RawArray{DataType: []byte(tt.dataType), Endian: tt.endian}.Type(dtype.Standard())
		if field != tt.field || (err != nil) != (tt.field != "") {
			t.Errorf("%s %s: field %q, %v", tt.dataType, tt.endian, field, err)
		}
		if err == nil && (typ.Name() != tt.name || order.String() != tt.order) {
			t.Errorf("%s %s: %s %s", tt.dataType, tt.endian, typ.Name(), order)
		}
	}
}

func TestCheckAddsToWhatLoadFound(t *testing.T) {
	j, ps := parseWith(t, small+"arrays:\n  A: {codecs: [bites], chunk: [1]}\n")
	ps = append(ps, j.Check(standard())...)
	ps.Sort()
	want := []string{
		`job.yaml:5:16: arrays.A.codecs[0]: unknown codec "bites" (did you mean "bytes"?)`,
		`job.yaml:5:24: arrays.A.chunk: unknown key (did you mean "chunks"?)`,
	}
	if diff := cmp.Diff(want, lines(ps)); diff != "" {
		t.Error(diff)
	}
}
