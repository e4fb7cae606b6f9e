package run

import (
	"testing"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

func environment() plan.Environment {
	return plan.Environment{Codecs: standard.Registry(dtype.Standard()), Memory: &store.Memory{}}
}

// planned makes a plan, which is closed with the test.
func planned(t *testing.T, dir, text string) *plan.Plan {
	t.Helper()
	p, err := plan.New(t.Context(), jobtest.Parse(t, dir, text), environment())
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Close(t, p)
	return p
}
