package codecs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpecs(t *testing.T) {
	got, err := json.Marshal(Specs("transpose:order=[1,0]", "bytes:endian=big", "crc32c", "blosc:cname=zstd,clevel=5", "x:a={\"b\":[1,2]},c=null",
		"https://example.org/a", "https://example.org/a:level=1", "zstd:level", ""))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"crc32c"},` +
		`{"name":"blosc","configuration":{"clevel":5,"cname":"zstd"}},{"name":"x","configuration":{"a":{"b":[1,2]},"c":null}},` +
		`{"name":"https://example.org/a"},{"name":"https://example.org/a","configuration":{"level":1}},{"name":"zstd:level"},{"name":""}]`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for text, want := range map[string]string{"": "needs a name", ":a=1": "needs a name", "zstd:level": "field=value"} {
		if _, err := ParseSpec(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
