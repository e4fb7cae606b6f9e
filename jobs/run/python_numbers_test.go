package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// withNumbersOfPython writes attributes into the documents of a target as zarr-python does:
// with numbers such as NaN, which JSON does not have.
func withNumbersOfPython(t *testing.T, target string, nodes ...string) {
	t.Helper()
	for _, node := range nodes {
		file := filepath.Join(target, node, "zarr.json")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.ReplaceAll(string(text), `"attributes": {`, `"attributes": {"limits": [-Infinity, NaN],`)
		changed = strings.ReplaceAll(changed, `NaN],}`, `NaN]}`)
		if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNumbersOfPythonInTheTarget appends to a hierarchy whose documents zarr-python wrote, and
// overwrites an array of such a hierarchy. The other documents stay as they are.
func TestNumbersOfPythonInTheTarget(t *testing.T) {
	env := jobtest.Environment()
	t.Run("append", func(t *testing.T) {
		dir := t.TempDir()
		if _, err := execute(t, night{0, 3}.job(t, dir), env, Options{}); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(dir, "out.zarr")
		withNumbersOfPython(t, target, "", "g", "g/v", "g/lat")
		if _, err := execute(t, night{3, 2}.job(t, dir), env, Options{}); err != nil {
			t.Fatal(err)
		}
		if got := days(t, dir, env); got != 5 {
			t.Errorf("%d days", got)
		}
		all := contents(t, target)
		for key, want := range map[string]int{"zarr.json": 5, "g/zarr.json": 1, "g/v/zarr.json": 1} {
			if n := strings.Count(all[key], "NaN"); n != want || strings.Contains(all[key], `"NaN"`) {
				t.Errorf("%s: %d numbers, want %d:\n%s", key, n, want, all[key])
			}
		}
	})
	t.Run("overwrite", func(t *testing.T) {
		dir := jobtest.Raw(t, "").Dir
		if _, err := execute(t, severalArrays(t, dir, "[10, 6]", "group/a", "other/c"), env, Options{}); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(dir, "out.zarr")
		withNumbersOfPython(t, target, "", "other/c")
		j := severalArrays(t, dir, "[4, 4]", "group/a")
		j.Target.Existing = "overwrite"
		if _, err := execute(t, j, env, Options{}); err != nil {
			t.Fatal(err)
		}
		if root := contents(t, target)["zarr.json"]; strings.Count(root, "NaN") != 2 || strings.Contains(root, `"NaN"`) {
			t.Error(root)
		}
	})
}
