package plan

import (
	"testing"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

func environment() Environment {
	return Environment{Codecs: standard.Registry(dtype.Standard()), Memory: &store.Memory{}}
}

// planned makes a plan, which is closed with the test.
func planned(t *testing.T, dir, text string) *Plan {
	t.Helper()
	p, err := New(t.Context(), jobtest.Parse(t, dir, text), environment())
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Close(t, p)
	return p
}
