package run

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// If the manifest in a record is that of the run, the record is read without the manifest.
// Any other record is read whole, also one whose JSON is spelled in another way.
func TestReadCompletion(t *testing.T) {
	written, err := Completion{Arrays: []CompletedArray{{Empty: 1}}, Overtaken: true}.text([]byte(manifestFirst + `{"a":[1]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ record, manifest string }{
		"the same":          {string(written), `{"a":[1]}`},
		"another":           {string(written), `{"a":[2]}`},
		"longer":            {string(written), `{"a":[1],"b":2}`},
		"other order":       {`{"arrays":[{"empty_chunks":1}],"overtaken":true,"manifest":{"a":[1]}}`, `{"a":[1]}`},
		"the manifest only": {`{"manifest":{"a":[1]}}`, `{"a":[1]}`},
		"without":           {`{"overtaken":true}`, `{"a":[1]}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{manifest: json.RawMessage(test.manifest)}
			got, err := r.readCompletion([]byte(test.record))
			if err != nil {
				t.Fatal(err)
			}
			want, err := readCompletion([]byte(test.record))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if string(r.manifest) != test.manifest {
				t.Errorf("the manifest of the run became %s", r.manifest)
			}
		})
	}
}
