package jobfile

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestNotify reads commands that are called at the end of a run. They have no influence on
// what is written, so the job stays the same job.
func TestNotify(t *testing.T) {
	plain := mustParse(t, small)
	for text, want := range map[string]Notify{
		`[mail, -s, "", you@example.org]`:    {Command: []string{"mail", "-s", "", "you@example.org"}, Timeout: time.Minute},
		`{command: [./tell]}`:                {Command: []string{"./tell"}, Timeout: time.Minute},
		`{timeout: 5s, command: ["a", "b"]}`: {Command: []string{"a", "b"}, Timeout: 5 * time.Second},
		`{command: ["a", "b"], timeout: 2m}`: {Command: []string{"a", "b"}, Timeout: 2 * time.Minute},
	} {
		j := mustParse(t, small+"run: {notify: "+text+"}\n")
		if diff := cmp.Diff(want, j.Run.Notify); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if diff := cmp.Diff(string(plain.Normalised()), string(j.Normalised())); diff != "" {
			t.Errorf("%s: the job is another one:\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"mail me": `job.yaml:4:15: run.notify: want a list of words, not a string ("mail me") (no shell reads the command: [sh, -c, …] calls one)`,
		"[]":      `job.yaml:4:15: run.notify: the list is empty`,
		"7":       `job.yaml:4:15: run.notify: want a list of words, such as [mail, -s, migrated, "you@example.org"], not a number (7)`,
	} {
		_, ps := parseWith(t, small+"run: {notify: "+text+"}\n")
		if diff := cmp.Diff([]string{want}, lines(ps)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
