package verify_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/jobs/verify"
	"github.com/zmigrate/zmigrate/sources"
)

// renaming is a source whose arrays have other units, as if another version of the program
// read it.
type renaming struct {
	sources.Source
	units string
}

type renamed struct {
	sources.Array
	units string
}

func (s renaming) Array(ctx context.Context, path string) (sources.Array, error) {
	a, err := s.Source.Array(ctx, path)
	return renamed{a, s.units}, err
}

func (a renamed) Info() *sources.Info {
	info := *a.Array.Info()
	info.Attributes = info.Attributes.With("units", []byte(a.units))
	return &info
}

// TestOtherVersion runs and verifies a job over a target that another version of the program
// has made with other metadata. The errors do not say that job or source have changed.
func TestOtherVersion(t *testing.T) {
	units := `"m"`
	env := jobtest.Environment()
	env.Drivers = slices.Clone(env.KnownDrivers())
	for i, d := range env.Drivers {
		env.Drivers[i].Open = func(ctx context.Context, r sources.Request) (sources.Source, error) {
			s, err := d.Open(ctx, r)
			return renaming{s, units}, err
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.raw"), make([]byte, 60), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := jobfile.Parse("job.yaml", []byte(`{zmigrate: 1, source: {driver: raw, arrays: {a: {url: a.raw, data_type: uint8, shape: [60]}}}, target: {url: out.zarr}}`),
		dir, jobfile.LoadOptions{Drivers: env.Drivers})
	if err != nil {
		t.Fatal(err)
	}
	migrate := func() error {
		p, err := plan.New(t.Context(), j, env)
		if err != nil {
			t.Fatal(err)
		}
		_, err = run.Run(t.Context(), p, env, run.Options{})
		return errors.Join(err, p.Close())
	}
	if err := migrate(); err != nil {
		t.Fatal(err)
	}
	units = `"km"`
	err = migrate()
	changed, ok := errors.AsType[*environment.ChangedError](err)
	if !ok || !changed.Program || !strings.Contains(err.Error(), `completed by another version of zmigrate. Job and source are the same, but`) || !strings.Contains(err.Error(), `the metadata of array "a"`) {
		t.Errorf("run: %v", err)
	}
	_, err = verify.Verify(t.Context(), j, env, verify.Options{Level: verify.Source})
	if err == nil || errors.Is(err, verify.ErrSourceChanged) || !strings.Contains(err.Error(), `another version of zmigrate has made the target`) {
		t.Errorf("verify: %v", err)
	}
}
