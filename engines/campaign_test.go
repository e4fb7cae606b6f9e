package engines

import (
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShellWords has a real shell read the words.
func TestShellWords(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	want := []string{"a", "", "it's", "$HOME `x` \"y\"", "two\nlines", "--set", "a.b={x: 1}", "*", "~", "\\", "ä"}
	out, err := exec.CommandContext(t.Context(), sh, "-c", "for w in "+ShellWords(want)+`; do printf '%s\0' "$w"; done`).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for len(out) > 0 {
		i := 0
		for out[i] != 0 {
			i++
		}
		got, out = append(got, string(out[:i])), out[i+1:]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
