package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/preview"
)

// TestPlanRequests compares the requests that a plan tells of with those that a bucket gets from the
// run, and computes what they cost.
func TestPlanRequests(t *testing.T) {
	t.Parallel()
	b, dir := serve(t), fast(t)
	data, bucket := smooth(1<<18), b.open(t, "")
	write(t, dir, "data.bin", data)
	var raw []string // arrays of 64 KiB in files of their own
	for i := range 16 {
		name := fmt.Sprintf("%d.bin", i)
		if err := bucket.Put(t.Context(), name, data[i<<16:(i+1)<<16]); err != nil {
			t.Fatal(err)
		}
		raw = append(raw, fmt.Sprintf("a%d: {url: %q, data_type: float32, shape: [16384]}", i, b.url(name)))
	}
	for i := range 64 { // blocks of N5: mode 0, one dimension, 4096 elements
		if err := bucket.Put(t.Context(), fmt.Sprintf("in.n5/a/%d", i), append([]byte{0, 0, 0, 1, 0, 0, 16, 0}, data[i<<12:(i+1)<<12]...)); err != nil {
			t.Fatal(err)
		}
	}
	for key, document := range map[string]string{"in.n5/attributes.json": `{"n5":"2.5.1"}`, "in.n5/a/attributes.json": `{"dimensions":[262144],"blockSize":[4096],"dataType":"uint8","compression":{"type":"raw"}}`} {
		if err := bucket.Put(t.Context(), key, []byte(document)); err != nil {
			t.Fatal(err)
		}
	}
	table, err := os.ReadFile("../sources/arrow/testdata/sums_v2.parquet")
	if err == nil {
		err = bucket.Put(t.Context(), "table.parquet", table)
	}
	if err != nil {
		t.Fatal(err)
	}
	prices := write(t, dir, "prices.yaml", []byte(`name: test
date: "2026-01-01"
scheme: s3
currency: EUR
per_1000_requests: {get: 1, head: 10, list: 100, put: 1000}
storage_per_gib_month: 1024
egress_per_gib: 2048
`))
	remote := func(prefix string) string { return fmt.Sprintf("{driver: zarr, url: %q}", b.url(prefix)) }
	for _, test := range []struct{ name, source, target, more string }{
		{"up", `{driver: raw, arrays: {g/a: {url: data.bin, data_type: float32, shape: [16, 128, 128]}, g/b: {url: data.bin, data_type: float32, shape: [262144]}}}`,
			b.url("up.zarr"), "arrays: {g/a: {chunks: [1, 128, 128]}, g/b: {chunks: [1024]}}"},
		{"rechunked", remote("up.zarr"), b.url("rechunked.zarr"), "arrays: {g/a: {chunks: [16, 64, 64]}, g/b: {chunks: [65536]}}"},
		{"down", remote("up.zarr"), "down.zarr", ""},
		{"raw", fmt.Sprintf(`{driver: raw, arrays: {%s}}`, strings.Join(raw, ", ")), "raw.zarr", ""},
		{"n5", fmt.Sprintf(`{driver: n5, url: %q}`, b.url("in.n5")), "n5.zarr", ""},
		{"table", fmt.Sprintf(`{driver: arrow, url: %q}`, b.url("table.parquet")), "table.zarr", ""},
	} {
		job := write(t, dir, test.name+".yaml", fmt.Appendf(nil, "zmigrate: 1\nsource: %s\ntarget: {url: %q}\n%s\n", test.source, test.target, test.more))
		out, err := zmigrate(t.Context(), t, "plan", "--json", "--prices", prices, job).Output()
		if err != nil {
			t.Fatal(err)
		}
		var planned struct {
			Total struct {
				preview.Figures
				Cost struct {
					Requests float64 `json:"requests"`
					Egress   float64 `json:"egress_at_most"`
					Storage  float64 `json:"storage_per_month_at_most"`
				} `json:"cost"`
			} `json:"total"`
		}
		if err := json.Unmarshal(out, &planned); err != nil {
			t.Fatal(err)
		}
		b.reset()
		if err := zmigrate(t.Context(), t, "run", job).Run(); err != nil {
			t.Fatal(err)
		}
		var got preview.RequestKinds
		for request, n := range b.reset() {
			method, key, _ := strings.Cut(request, " ")
			switch {
			case method == "GET" && key == "/bucket":
				got.List += int64(n.requests)
			case method == "GET":
				got.Get += int64(n.requests)
			case method == "HEAD":
				got.Head += int64(n.requests)
			case method == "PUT":
				got.Put += int64(n.requests)
			}
		}
		x := planned.Total
		want := preview.RequestKinds{
			Get: x.Source.Get + x.Target.Get, Head: x.Source.Head + x.Target.Head,
			List: x.Source.List + x.Target.List, Put: x.Source.Put + x.Target.Put,
		}
		for kind, n := range map[string][2]int64{"get": {got.Get, want.Get}, "head": {got.Head, want.Head}, "list": {got.List, want.List}, "put": {got.Put, want.Put}} {
			if off := math.Abs(float64(n[0] - n[1])); off > 3+0.1*float64(n[0]) || n[0] == 0 && n[1] > 0 {
				t.Errorf("%s: %d requests %s, and the plan has about %d", test.name, n[0], kind, n[1])
			}
		}
		for what, n := range map[string][2]float64{
			"requests": {x.Cost.Requests, (float64(want.Get) + 10*float64(want.Head) + 100*float64(want.List) + 1000*float64(want.Put)) / 1000},
			"storage":  {x.Cost.Storage, float64(x.BytesAtMost) / (1 << 20)},
			"egress":   {x.Cost.Egress, float64(x.BytesRead) * x.ReadAmplification / (1 << 19)},
		} {
			want := n[1]
			if what == "storage" && !strings.HasPrefix(test.target, "s3:") || what == "egress" && test.name == "up" {
				want = 0 // that side is on this machine
			}
			if math.Abs(n[0]-want) > 1e-9*want {
				t.Errorf("%s: %s cost %v, want %v", test.name, what, n[0], want)
			}
		}
		text, err := zmigrate(t.Context(), t, "plan", "--prices", prices, job).Output()
		if err != nil || !strings.Contains(string(text), "(list prices: test, 2026-01-01; check them)\n") || !strings.Contains(string(text), "  requests  about ") || !strings.Contains(string(text), "  cost      requests about ") {
			t.Errorf("%s: %v\n%s", test.name, err, text)
		}
	}
	if out, err := zmigrate(t.Context(), t, "plan", "--prices", "../examples/prices/gcs.yaml", dir+"/down.yaml").Output(); err != nil || !strings.Contains(string(out), "no prices for source (s3)\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
