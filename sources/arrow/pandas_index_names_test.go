package arrow

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/google/go-cmp/cmp"
)

// TestLevelNames names the columns of index levels without a name.
func TestLevelNames(t *testing.T) {
	for name, test := range map[string]struct {
		pandas  string // the metadata; "": none
		columns []string
		want    map[string]string
	}{
		"none":                        {"", []string{"a", "b"}, nil},
		"no name":                     {`{"columns": [{"name": null, "field_name": "__index_level_0__"}]}`, []string{"a", "__index_level_0__"}, map[string]string{"__index_level_0__": "index"}},
		"a name":                      {`{"columns": [{"name": "when", "field_name": "__index_level_0__"}]}`, []string{"a", "__index_level_0__"}, map[string]string{"__index_level_0__": "when"}},
		"a name taken":                {`{"columns": [{"name": "when", "field_name": "__index_level_0__"}]}`, []string{"when", "__index_level_0__"}, map[string]string{"__index_level_0__": "index"}},
		"a reserved name":             {`{"columns": [{"name": "__x", "field_name": "__index_level_0__"}]}`, []string{"__index_level_0__"}, map[string]string{"__index_level_0__": "index"}},
		"index taken":                 {"", []string{"index", "__index_level_0__"}, map[string]string{"__index_level_0__": "index_level_0"}},
		"all taken":                   {"", []string{"index", "index_level_0", "__index_level_0__"}, map[string]string{}},
		"levels before it have names": {`{"columns": [{"name": "cut", "field_name": "cut"}]}`, []string{"cut", "__index_level_1__", "__index_level_01__"}, map[string]string{"__index_level_1__": "level_1"}},
		"two levels": {`{"columns": [{"name": "x", "field_name": "__index_level_1__"}, {"name": 5, "field_name": "__index_level_0__"}]}`,
			[]string{"__index_level_1__", "__index_level_0__"}, map[string]string{"__index_level_0__": "level_0", "__index_level_1__": "x"}},
		"one name twice": {`{"columns": [{"name": "x", "field_name": "__index_level_1__"}, {"name": "x", "field_name": "__index_level_0__"}]}`,
			[]string{"__index_level_1__", "__index_level_0__"}, map[string]string{"__index_level_0__": "x", "__index_level_1__": "level_1"}},
		"other metadata": {`[`, []string{"__index_level_0__"}, map[string]string{"__index_level_0__": "index"}},
	} {
		t.Run(name, func(t *testing.T) {
			var metadata arrow.Metadata
			if test.pandas != "" {
				metadata = arrow.NewMetadata([]string{"pandas"}, []string{test.pandas})
			}
			taken := map[string]bool{}
			for _, c := range test.columns {
				taken[c] = true
			}
			if diff := cmp.Diff(test.want, levelNames(metadata, taken)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
