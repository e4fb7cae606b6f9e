package location

import (
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	for _, raw := range []string{"a/b", "file:///a%20b", "mem://n/p", "s3://b/p?region=r&endpoint=http://h", "s3://b/%2e%2e", "x://", "http://h/x?a=b&c", "file:/x", "./s3:x", "C:/x"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		l, err := Parse(raw)
		if err != nil {
			return
		}
		again, err := Parse(l.Full())
		if err != nil {
			t.Fatalf("%q became %q: %v", raw, l, err)
		}
		if again.Full() != l.Full() || strings.Contains(again.String(), "?") && again.Hidden != "" {
			t.Fatalf("%q became %q and then %q", raw, l, again)
		}
	})
}
