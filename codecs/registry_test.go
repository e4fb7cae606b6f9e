package codecs_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

func TestRegister(t *testing.T) {
	var r codecs.Registry
	d := shiftDefinition()
	d.Aliases = []string{"other"}
	if err := r.Register(d); err != nil {
		t.Fatal(err)
	}
	if found, err := r.Lookup("other"); err != nil || found.Name != "shift" {
		t.Errorf("%v, %v", found.Name, err)
	}
	twice := d
	twice.Name, twice.Aliases = "new", []string{"other"}
	for _, bad := range []codecs.Definition{d, twice, {Name: "x"}, {Name: "x", Parse: d.Parse, Kind: 9}} {
		if err := r.Register(bad); err == nil {
			t.Errorf("%q was registered", bad.Name)
		}
	}
	if _, err := r.Lookup("new"); !errors.Is(err, codecs.ErrUnknown) {
		t.Errorf("a refused definition left its name: %v", err)
	}
}

// TestOtherKind checks that a parser that makes a codec of another kind causes an error
// and no panic.
func TestOtherKind(t *testing.T) {
	r := standard.Registry(dtype.Standard())
	err := r.Register(codecs.Definition{Name: "wrong", Kind: codecs.KindBytesToBytes, Parse: func(json.RawMessage) (codecs.Codec, error) { return 5, nil }})
	if err != nil {
		t.Fatal(err)
	}
	in := codecs.Chunk{Type: dtype.Uint16, Shape: []int{64}, Fill: dtype.Uint16.Default()}
	if _, err := r.Bind(names("bytes", "wrong"), in); err == nil || !strings.Contains(err.Error(), "its parser makes int") {
		t.Errorf("%v", err)
	}
}
