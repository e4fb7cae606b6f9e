package jobfile

import (
	"strings"
	"testing"
	"time"
)

// TestDates evaluates dates for the last moment of a leap day.
func TestDates(t *testing.T) {
	now := time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC)
	lookup := func(name string) (string, bool) { return "of the environment", name == "date" }
	for _, test := range []struct{ text, want, fault string }{
		{"in_${date:%Y%m%d}.nc", "in_20240229.nc", ""},
		{"${date:-1d:%Y-%m-%d}", "2024-02-28", ""},
		{"${date:+1d:%Y-%m-%dT%H:%M}", "2024-03-01T23:59", ""},
		{"${date:-24h:%d}/${date:%j}", "28/060", ""},
		{"${date:-1w:%y%m%d}", "240222", ""},
		{"${date:-1m:%Y-%m-%d}", "2024-01-29", ""},
		{"${date:+1y:%Y-%m-%d}", "2025-02-28", ""},
		{"${date:+13m:%Y-%m-%d}", "2025-03-29", ""},
		{"${date:-2m:%Y-%m-%d %%}", "2023-12-29 %", ""},
		{"${date}", "of the environment", ""},
		{"${date:-yesterday}", "of the environment", ""},
		{"${date:%Q}", "", `"%Q" is no format of a date`},
		{"${date:%Y%}", "", `"%Y%" is no format of a date`},
		{"${date:-1x:%Y}", "", `"-1x" is no offset of a date`},
		{"${date:yesterday:%Y}", "", `"yesterday" is no offset of a date`},
		{"${date:-999999y:%Y}", "", "the date is in the year"},
	} {
		got, changed, err := expandVariables(test.text, lookup, now)
		if test.fault != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.fault) || !strings.Contains(err.Error(), "${date:-1d:%Y%m%d} for yesterday") {
				t.Errorf("%s: %q, %v", test.text, got, err)
			}
			continue
		}
		if err != nil || got != test.want || !changed {
			t.Errorf("%s: %q, %v; want %q", test.text, got, err, test.want)
		}
	}
	// The clock is asked once for a job, and says what is UTC.
	asked := 0
	j, err := Parse("job.yaml", []byte("zmigrate: 1\nname: '${date:%Y}'\nsource: {driver: netcdf, url: 'a${date:%H}.nc'}\ntarget: {url: b.zarr}\n"), ".", LoadOptions{Now: func() time.Time {
		asked++
		return now.In(time.FixedZone("", 3600))
	}})
	if err != nil || asked != 1 || j.Name != "2024" || !strings.HasSuffix(j.Source.Locations[0].Text, "a23.nc") {
		t.Errorf("%v, %d times: %+v", err, asked, j)
	}
}

// TestStructuredVariables: a variable may spell a list or a mapping where a field wants one.
func TestStructuredVariables(t *testing.T) {
	values := map[string]string{"CHUNKS": "[12, 90]", "BY": "{time: 5, lat: auto}", "CHAIN": "[bytes, {zstd: {level: 3}}]", "RANGE": "[30, 60]", "GLOBS": "[S*, T]", "BAD": "[1, x]", "SECRET": "[hush-hush-hush]"}
	opt := LoadOptions{LookupEnv: func(name string) (string, bool) { v, ok := values[name]; return v, ok }}
	text := func(array string) []byte {
		return []byte("zmigrate: 1\nsource: {driver: netcdf, url: a.nc, include: '${GLOBS}', select: {lat: '${RANGE}'}}\ntarget: {url: b.zarr}\narrays: {a: {" + array + "}}\n")
	}
	j, err := Parse("job.yaml", text("chunks: '${CHUNKS}', shards: '${NO:-[24, 180]}', codecs: '${CHAIN}', attributes: {a: '${CHUNKS}'}"), ".", opt)
	if err != nil {
		t.Fatal(err)
	}
	o, _ := j.Options("a")
	if len(o.Chunks.Shape) != 2 || o.Chunks.Shape[1] != 90 || o.Shards[0] != 24 || len(o.Codecs.Chain) != 2 || len(j.Source.Include) != 2 || len(j.Source.Select) != 1 || string(o.Attributes.Get("a")) != `"[12, 90]"` {
		t.Errorf("%+v", o)
	}
	if j, err = Parse("job.yaml", text("chunks: '${BY}'"), ".", opt); err != nil || len(j.Arrays[0].Chunks.By) != 2 {
		t.Error(err)
	}
	for array, want := range map[string]string{"chunks: '${BAD}'": "arrays.a.chunks[1]: want an integer", "codecs: '${SECRET}'": "", "chunks: '${SECRET}'": "want an integer"} {
		_, err := Parse("job.yaml", text(array), ".", opt)
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) || err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", array, err)
		}
	}
}
