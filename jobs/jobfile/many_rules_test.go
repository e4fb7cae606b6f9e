package jobfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// TestManyRules checks a job with a rule for each of very many arrays. If each array were
// compared with each rule, that would take minutes.
func TestManyRules(t *testing.T) {
	t.Parallel()
	const n = 9_999 // and the rule behind them: as many as a job may have
	var arrays, rules strings.Builder
	for i := range n {
		_, _ = fmt.Fprintf(&arrays, "    g%d/a: {url: f.bin, data_type: int8, shape: [4], dimension_names: [x]}\n", i)
		_, _ = fmt.Fprintf(&rules, "  g%d/a: {chunks: [%d]}\n", i, 1+i%4)
	}
	text := "zmigrate: 1\nsource:\n  driver: raw\n  arrays:\n" + arrays.String() + "target: {url: out.zarr}\narrays:\n" + rules.String() + "  '**': {chunks: [7]}\n"
	j, err := jobfile.Parse("job.yaml", []byte(text), t.TempDir(), jobfile.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if ps := j.Check(standard.Registry(dtype.Standard())); len(ps) > 0 {
		t.Error(ps)
	}
	for i := range n {
		name := fmt.Sprintf("g%d/a", i)
		if o, field := j.Options(name); o.Chunks.Shape[0] != 1+i%4 || field != jobfile.FieldPath("arrays", name) {
			t.Fatalf("%s has the options %+v of %s", name, o.Chunks, field)
		}
	}
	if o, _ := j.Options("other/a"); o.Chunks.Shape[0] != 7 {
		t.Errorf("%+v", o.Chunks)
	}
}
