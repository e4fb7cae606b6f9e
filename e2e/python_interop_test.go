package e2e

import (
	"os"
	"os/exec"
	"testing"
)

// TestInteropPython checks the types of the Python package and runs its tests, with the program as
// it is shipped.
func TestInteropPython(t *testing.T) {
	t.Parallel()
	p := findPeers(t)
	if err := exec.CommandContext(t.Context(), p.python, "-c", "import distributed, hatchling, mypy, pytest").Run(); err != nil {
		if os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1" {
			t.Fatalf("%s lacks packages: %v", p.python, err)
		}
		t.Skipf("needs distributed, hatchling, mypy and pytest: `make interop` sets them up (%v)", err)
	}
	for _, args := range [][]string{
		{"-m", "mypy", "--cache-dir", t.TempDir(), "src", "tests", "wheel.py", "hatch_build.py"},
		{"-m", "pytest", "-q"},
	} {
		c := exec.CommandContext(t.Context(), p.python, args...)
		c.Dir = "../python"
		c.Env = append(os.Environ(), "PYTHONPATH=src", "PYTHONDONTWRITEBYTECODE=1", "ZMIGRATE_PROGRAM="+build(t))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
}
