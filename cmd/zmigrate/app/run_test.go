package app

import (
	"bytes"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs"
)

// TestOvertaken: another run appends after a run has made its plan and before that run has
// the lock. If the other run has appended the rows of the plan, nothing is left to do. If
// it has appended other rows, those of the plan follow.
func TestOvertaken(t *testing.T) {
	const first, second = `source: {driver: raw, arrays: {v: {url: a.raw, data_type: uint8, shape: [2], dimension_names: [t]}}}`,
		`source: {driver: raw, arrays: {v: {url: b.raw, data_type: uint8, shape: [3], dimension_names: [t]}}}`
	for name, test := range map[string]struct{ own, other, want string }{
		"the same rows": {first, first, "nothing to do"},
		"other rows":    {second, first, "3 rows along t"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, data := range map[string]string{"a.raw": "ab", "b.raw": "cde"} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			run := func(source string, fault func(op, key string) error) (string, error) {
				j, err := jobs.Parse("job.yaml", fmt.Appendf(nil, "zmigrate: 1\n%s\ntarget: {url: out.zarr, existing: append, append: t}\n", source), dir, jobs.Environment{})
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				a := &app{out: &out, err: &out, progress: "none", log: slog.New(slog.DiscardHandler), env: jobs.Environment{Codecs: standard.Registry(dtype.Standard()), Fault: fault}}
				c := cli.NewContext(nil, flag.NewFlagSet("", flag.ContinueOnError), nil)
				c.Context = t.Context()
				err = a.observed(c, j, a.run)
				return out.String(), err
			}
			var looks atomic.Int64
			out, err := run(test.own, func(op, key string) error {
				if op != "list" || !strings.HasPrefix(key, "lock") || looks.Add(1) != 2 { // the plan's, then the run's
					return nil
				}
				_, err := run(test.other, nil)
				return err
			})
			if err != nil || !strings.Contains(out, test.want) {
				t.Errorf("%v, %s\nwant %q", err, out, test.want)
			}
		})
	}
}
