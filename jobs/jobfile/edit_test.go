package jobfile

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// TestSetArray sets the codecs of the array SST in files of many forms. All else stays.
func TestSetArray(t *testing.T) {
	const head = "# a job\nzmigrate: 1 # of this version\n\n"
	for _, test := range []struct{ name, before, after string }{
		{"no arrays", head + "name: x\n", head + "name: x\n\narrays:\n  SST:\n    codecs: [new]\n"},
		{"no line at the end", head + "name: x", head + "name: x\n\narrays:\n  SST:\n    codecs: [new]\n"},
		{"null", head + "arrays: # none\nname: x\n", head + "arrays: # none\n  SST:\n    codecs: [new]\nname: x\n"},
		{"another", head + "arrays:\n    a: {chunks: [1]} # note\n# foot\nname: x\n", head + "arrays:\n    a: {chunks: [1]} # note\n    SST:\n      codecs: [new]\n# foot\nname: x\n"},
		{"without", head + "arrays:\n  SST:\n    # why\n    chunks: [3, 90] # both\n  b: {}\n", head + "arrays:\n  SST:\n    # why\n    chunks: [3, 90] # both\n    codecs: [new]\n  b: {}\n"},
		{"empty", head + "arrays:\n  SST: # later\n  b: {}\n", head + "arrays:\n  SST: # later\n    codecs: [new]\n  b: {}\n"},
		{"replaced", head + "arrays:\n  SST:\n    codecs: [bytes, {zstd: {level: 3}}] # plain\n    chunks: [1]\n", head + "arrays:\n  SST:\n    codecs: [new] # plain\n    chunks: [1]\n"},
		{"replaced block", head + "arrays:\n  SST:\n    codecs:\n      - bytes\n      - zstd: {level: 3} # three\n    chunks: [1]\n", head + "arrays:\n  SST:\n    codecs: [new] # three\n    chunks: [1]\n"},
		{"replaced lines", head + "arrays:\n  SST:\n    codecs: [bytes, # a ] bracket\n      {zstd: {level: 3}}]\n    chunks: [1]\n", head + "arrays:\n  SST:\n    codecs: [new]\n    chunks: [1]\n"},
		{"replaced word", head + "arrays:\n  SST:\n    codecs: keep\n    chunks: [1]\n", head + "arrays:\n  SST:\n    codecs: [new]\n    chunks: [1]\n"},
		{"flow", head + "arrays: {SST: {chunks: [1]}, b: {}}\n", head + "arrays: {SST: {codecs: [new], chunks: [1]}, b: {}}\n"},
		{"flow without", head + "arrays: {b: {}}\n", head + "arrays: {SST: {codecs: [new]}, b: {}}\n"},
		{"flow replaced", head + "arrays: {SST: {codecs: ['a]', \"b\\\"}\"]}, b: {}}\n", head + "arrays: {SST: {codecs: [new]}, b: {}}\n"},
		{"json", `{"zmigrate": 1, "arrays": {"SST": {"codecs": ["a"]}}}`, `{"zmigrate": 1, "arrays": {"SST": {"codecs": [new]}}}`},
		{"wide characters", "arrays: {é: {chunks: [1]}, SST: {codecs: keep}}\n", "arrays: {é: {chunks: [1]}, SST: {codecs: [new]}}\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := SetArray([]byte(test.before), "SST", Field{"codecs", "[new]"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.after, string(got)); diff != "" {
				t.Error(diff)
			}
			// As YAML, only this value is another one.
			var before, after map[string]any
			if err := yaml.Unmarshal([]byte(test.before), &before); err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal(got, &after); err != nil {
				t.Fatal(err)
			}
			arrays, _ := before["arrays"].(map[string]any)
			if arrays == nil {
				arrays = map[string]any{}
				before["arrays"] = arrays
			}
			one, _ := arrays["SST"].(map[string]any)
			if one == nil {
				one = map[string]any{}
				arrays["SST"] = one
			}
			one["codecs"] = []any{"new"}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSetArrayRefused: files that cannot be changed in place.
func TestSetArrayRefused(t *testing.T) {
	for _, text := range []string{"", "- a\n", "a: [\n", "arrays: 7\n", "arrays: {SST: 7}\n", "x: &x {chunks: [1]}\narrays: {SST: *x}\n", "arrays:\n  SST:\n    codecs: |\n      a\n"} {
		if got, err := SetArray([]byte(text), "SST", Field{"codecs", "[new]"}); err == nil {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// TestPlainKey: keys come back as they are.
func TestPlainKey(t *testing.T) {
	for _, key := range []string{"SST", "group/a", "a.b", "true", "1", "-", "", " ", "a: b", `"`, `\`, "é", "null", "a#b", "~", "0x1", "-a", ".5"} {
		var got map[string]json.RawMessage
		var node map[string]any
		if err := yaml.Unmarshal([]byte(plainKey(key)+": 1\n"), &node); err != nil {
			t.Errorf("%q: %v", key, err)
			continue
		}
		if _, ok := node[key]; !ok {
			t.Errorf("%q becomes %v (%v)", key, node, got)
		}
	}
}

// FuzzSetArray: whatever the file is, a changed one is YAML that differs in one value.
func FuzzSetArray(f *testing.F) {
	for _, text := range []string{"arrays: {SST: {chunks: [1]}, b: {}}\n", "arrays:\n  SST:\n    codecs: [bytes, # a ] bracket\n      {zstd: {level: 3}}]\n", "a: 'x'\narrays:\n\n    b: {} # c\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<12 {
			return
		}
		_, _ = SetArray(text, "SST", Field{"codecs", "[new]"})
	})
}
