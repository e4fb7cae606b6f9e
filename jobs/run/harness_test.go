package run

import (
	"os"
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

// TestMain puts the temporary folders of the tests where flushing costs nothing, if this
// machine has such a place: the tests make tens of thousands of small files.
func TestMain(m *testing.M) {
	if dir, err := os.MkdirTemp("/dev/shm", "zmigrate"); err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // what is left is in memory
		if err := os.Setenv("TMPDIR", dir); err != nil {
			panic(err)
		}
	}
	m.Run()
}
