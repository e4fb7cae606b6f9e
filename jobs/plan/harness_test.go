package plan

import (
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// planned makes a plan, which is closed with the test.
func planned(t *testing.T, dir, text string) *Plan {
	t.Helper()
	p, err := New(t.Context(), jobtest.Parse(t, dir, text), jobtest.Environment())
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Close(t, p)
	return p
}
