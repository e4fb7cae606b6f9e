package plan

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/zarr"
)

// Attributes that are too large are refused with the name of the largest. The way out in the
// message leaves that attribute out.
func TestAttributesTooLarge(t *testing.T) {
	const memory = 16 << 20
	large := zarr.Attributes{{Name: "small", Value: []byte("1")}, {Name: "big", Value: bytes.Repeat([]byte("7"), memory/attributeCopies)}}
	message, raise, largest := tooLarge(large, memory)
	if largest != "big" || !strings.Contains(message, `"big"`) || !strings.Contains(message, "at most "+words.Size(memory/attributeCopies)+" are copied with run.memory of 16.0 MiB") || raise != "raise run.memory to 17MiB, or " {
		t.Errorf("%q: %s: %s", largest, message, raise)
	}
	if message, _, _ := tooLarge(large.With("big", nil), memory); message != "" {
		t.Error(message)
	}
	if message, _, _ := tooLarge(large, 17<<20); message != "" {
		t.Error(message)
	}
	if message, raise, _ := tooLarge(zarr.Attributes{{Name: "big", Value: make([]byte, maxAttributes)}}, 1<<40); message == "" || raise != "" {
		t.Errorf("%q: %q", message, raise)
	}
	j := jobtest.Raw(t, "")
	j.Run.Memory = memory
	j.Source.Arrays[0].Attributes = large
	_, err := New(t.Context(), j, jobtest.Environment())
	if err == nil || !strings.Contains(err.Error(), `attributes: {"big": null}`) {
		t.Errorf("got %.300v", err)
	}
	j.Defaults.Attributes = zarr.Attributes{{Name: "big", Value: []byte("null")}}
	p, err := New(t.Context(), j, jobtest.Environment())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
