package sources

import (
	"encoding/json"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/zarr"
)

// TestInfosShare keeps one copy of descriptions that are equal.
func TestInfosShare(t *testing.T) {
	make := func(history string) *Info {
		return &Info{Path: "v", Type: dtype.Int8, Attributes: zarr.Attributes{
			{Name: "units", Value: json.RawMessage(`"K"`)}, {Name: "history", Value: json.RawMessage(history)},
		}}
	}
	var infos Infos
	first := infos.Share(make("1"))
	if infos.Share(make("1")) != first {
		t.Error("equal descriptions are two")
	}
	other := infos.Share(make("2"))
	if other == first || string(other.Attributes[1].Value) != "2" || &other.Attributes[0].Value[0] != &first.Attributes[0].Value[0] {
		t.Errorf("got %v", other)
	}
}
