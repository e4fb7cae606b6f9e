package zarr

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// objects are texts for FuzzMembersOf.
func objects() []string {
	return []string{
		`{}`, ` { } `, `{"a":1}`, "{\n\t\"a\" : -1.5e3 ,\r\n \"b\" : true}", `{"a":"}","b":"\"","c":"\\"}`, `{"a":{"b":[1,{"c":"]"}]},"d":[]}`,
		`{"\u00e9":null,"é":2}`, `{"a":1,"a":2}`, `{"a":[ ],"b":{ }}`, `null`, `[1]`, `{"a"}`, `{"a":1,}`, ``, `7`, "{\"\xff\":1}",
		strings.Repeat(`{"a":`, 20) + `1` + strings.Repeat(`}`, 20),
	}
}

// FuzzMembersOf compares the members of objects with what encoding/json makes of them.
func FuzzMembersOf(f *testing.F) {
	for _, text := range objects() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want map[string]json.RawMessage
		wrong := json.Unmarshal(text, &want)
		list, err := membersOf(text)
		if (err != nil) != (wrong != nil || want == nil) {
			t.Fatalf("%v, want %v", err, wrong)
		}
		if err != nil {
			return
		}
		got := map[string]json.RawMessage{}
		for _, m := range list {
			got[m.name] = m.value
		}
		if len(got) != len(want) {
			t.Fatalf("%q, want %q", got, want)
		}
		for name, value := range want {
			if !bytes.Equal(got[name], value) {
				t.Errorf("%q is %s, want %s", name, got[name], value)
			}
		}
	})
}
