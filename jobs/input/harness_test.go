package input_test

import (
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// planned makes a plan, which is closed with the test.
func planned(t *testing.T, dir, text string) *plan.Plan {
	t.Helper()
	p, err := plan.New(t.Context(), jobtest.Parse(t, dir, text), jobtest.Environment())
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Close(t, p)
	return p
}
