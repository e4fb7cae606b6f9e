package journal

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/sinks"
)

// lines are lines of a checkpoint, as this program writes them and in other forms.
var lines = []struct {
	line  string
	plain bool // plainReceipt reads it
}{
	{`{"a":0,"u":17,"k":"x/c/0/17","n":4096,"c":4294967295,"v":"1730000000000000000"}`, true},
	{`{"a":0,"u":17,"k":"x/c/0","n":1,"c":1,"v":"\"9b2cf5\""}`, true},
	{`{"a":0,"u":17,"k":"a\\b","n":1}`, true},
	{`{"a":0,"u":17,"k":"x","n":1,"c":1,"d":"0123456789abcdef","v":"1"}`, true},
	{`{"a":0,"u":17,"k":"x","n":1,"c":1,"d":"0000000000000000"}`, true},
	{`{"a":0,"u":17,"k":"x","n":1,"c":1,"d":"123456789abcdef","v":"1"}`, false},
	{`{"a":0,"u":17,"d":"0123456789abcdeg"}`, false},
	{`{"a":0,"u":18,"e":true,"m":9223372036854775789}`, true},
	{`{"a":0,"u":18,"e":true,"m":9223372036854775790}`, true}, // more units than there can be
	{`{"a":9223372036854775807,"u":0}`, true},
	{`{"a":9223372036854775808,"u":0}`, false},
	{`{"a":0,"u":18446744073709551617}`, false},
	{`{"a":0,"u":12345678901234567890}`, false},
	{`{"a":0,"u":1:}`, false},
	{`{"a":0,"u":1`, false},
	{`{"a":0,"u":01}`, false},
	{`{"a":0,"u":}`, false},
	{`{"a":0,"u":-1}`, false},
	{`{"a":0,"u":1e2}`, false},
	{`{"a":0,"u":1.5}`, false},
	{`{"a":0,"u":1,"c":4294967296}`, false},
	{`{"a":0,"u":1,"k":"caf\u00e9"}`, false},
	{`{"a":0,"u":1,"k":"café"}`, false},
	{`{"a":0,"u":1,"k":"a\/b"}`, false},
	{"{\"a\":0,\"u\":1,\"k\":\"\x7f\"}", false},
	{"{\"a\":0,\"u\":1,\"k\":\"\x01\"}", false},
	{"{\"a\":0,\"u\":1,\"k\":\"\xff\"}", false},
	{`{"a":0,"u":1,"k":"\`, false},
	{`{"a":0,"u":1,"k":"x`, false},
	{`{"a":0,"u":1,"k":"}`, false},
	{`{"a":0,"u":1,"d":"}`, false},
	{`{"a":0,"u":1,"k":" !~"}`, true},
	{`{"a":0,"u":1,"e":false}`, false},
	{`{"a":0,"u":1,"e":true`, false},
	{`{"a":0,"u":1}}`, false},
	{`{"a":0,"u":1}{}`, false},
	{`{"a":0,"u":1} `, false},
	{`{"a":0, "u":1}`, false},
	{`{"u":1,"a":0}`, false},
	{`{"a":0,"a":3,"u":1}`, false},
	{`{"A":0,"u":1}`, false},
	{`{"a":0,"u":1,"x":1}`, false},
	{`{"u":1}`, false},
	{`{}`, false},
	{`null`, false},
	{``, false},
}

// checkPlain compares what is read of a plain line with what encoding/json reads.
func checkPlain(t *testing.T, line []byte) (plain bool) {
	t.Helper()
	r, plain := plainReceipt(line)
	if want, err := parseJSON(line); plain && (r != want || fmt.Sprint(err) != fmt.Sprint(r.Check())) {
		t.Errorf("%q: %+v, %v, want %+v, %v", line, r, r.Check(), want, err)
	}
	if o, ok := plainObject(line); ok {
		var want Object
		if err := json.Unmarshal(line, &want); err != nil || o != want {
			t.Errorf("%q: %+v, want %+v, %v", line, o, want, err)
		}
	}
	return plain
}

func TestPlainLines(t *testing.T) {
	for _, test := range lines {
		if plain := checkPlain(t, []byte(test.line)); plain != test.plain {
			t.Errorf("%q: %v, want %v", test.line, plain, test.plain)
		}
	}
	written := func(v any) []byte {
		line, err := json.Marshal(v)
		must(t, err)
		return line
	}
	// Of what a run writes, no line goes the slow way.
	for _, r := range []sinks.Receipt{
		{Array: 1, Unit: 2, Key: "a/c/1/2", Bytes: 3, Sum: 4, Version: `"9b2cf5-2"`},
		{Array: 1, Unit: 2, Key: "a/c/1/2", Bytes: 3, Sum: 4, Version: "1730000000000000000"},
		{Unit: 2, Empty: true, More: 7},
	} {
		if line := written(r); !checkPlain(t, line) {
			t.Errorf("%s is not plain", line)
		}
		if r.Empty {
			continue
		}
		line := written(Object{r.Key, r.Bytes, r.Sum, digest.Optional{Sum: digest.Sum(r.Bytes), Known: r.Unit%2 == 0}, r.Version})
		if _, plain := plainObject(line); !plain {
			t.Errorf("%s is not plain", line)
		}
	}
}

func FuzzPlainLine(f *testing.F) {
	for _, test := range lines {
		f.Add([]byte(test.line))
	}
	f.Add([]byte(`{"k":"x/c/0","n":4096,"c":1,"v":"\"9b2cf5\""}`))
	f.Fuzz(func(t *testing.T, line []byte) { checkPlain(t, line) })
}
