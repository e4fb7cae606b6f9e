//go:build unix

package slurm

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/engines"
)

// program is a zmigrate for tests. It records its arguments and the lines of its input, and ends
// with the statuses that the file "statuses" has, a line for each call.
const program = `#!/bin/sh
here=$(dirname "$0")
for word; do
	if [ "$last" = --end-with ] && [ "$word" != "$PPID" ]; then
		echo "the parent is $PPID, and --end-with says $word" >&2
		exit 99
	fi
	last=$word
done
echo "$1 $last" >>"$here/calls"
case " $* " in
*" --stdin "*) cat >>"$here/lines" ;;
esac
if [ -p "$here/begun" ]; then
	trap 'echo stopped >>"$here/calls"; exit 3' TERM
	echo >"$here/begun"
	while :; do :; done
fi
read -r status <"$here/statuses" || status=0
sed 1d "$here/statuses" >"$here/statuses.new"
mv "$here/statuses.new" "$here/statuses"
exit "${status:-0}"
`

// campaign returns a campaign with the given program, whose paths and names have characters that
// are special in a shell.
func campaign(program string, parts int) *engines.Campaign {
	c := &engines.Campaign{
		Name: "it's $HOME, two\nlines", Program: program, JobFile: "/a b/50%/job's.yaml", Plan: strings.Repeat("0123456789abcdef", 4), Count: parts,
		Memory: 1<<30 + 1,
	}
	for i := range parts {
		c.Parts = append(c.Parts, fmt.Sprintf("%d-%d", 10*i, 10*i+10))
	}
	rest := []string{c.JobFile, "--plan", c.Plan, "--set", "source.url=${URL}"}
	c.Work, c.Finish = append([]string{"work"}, rest...), append([]string{"finish"}, rest...)
	return c
}

// shells returns the shells of this machine that may be /bin/sh somewhere.
func shells(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for name, args := range map[string][]string{"sh": nil, "dash": nil, "bash": {"--posix"}, "busybox": {"sh"}, "ksh": nil} {
		if path, err := exec.LookPath(name); err == nil {
			found[name] = append([]string{path}, args...)
		}
	}
	if len(found) == 0 {
		t.Skip("no shell")
	}
	return found
}

// script is a script that a shell runs as Slurm does.
type script struct {
	dir  string
	cmd  *exec.Cmd
	text bytes.Buffer // of standard error
}

// prepareScript prepares a script of a task. The program ends with the given statuses.
func prepareScript(t *testing.T, shell []string, text func(*engines.Campaign) string, task int, statuses ...int) *script {
	t.Helper()
	s := &script{dir: filepath.Join(t.TempDir(), "it's here")}
	if err := os.Mkdir(s.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(s.dir, "zmigrate")
	put(t, name, program)
	put(t, filepath.Join(s.dir, "statuses"), strings.ReplaceAll(strings.Trim(fmt.Sprint(statuses), "[]")+"\n", " ", "\n"))
	file := filepath.Join(s.dir, "script")
	put(t, file, text(campaign(name, 7)))
	s.cmd = exec.CommandContext(t.Context(), shell[0], append(shell[1:], file)...)
	s.cmd.Env = append(os.Environ(), fmt.Sprint("SLURM_ARRAY_TASK_ID=", task), "SLURM_CPUS_PER_TASK=3", "SLURMD_NODENAME=n1")
	s.cmd.Stderr = &s.text
	return s
}

// put writes a file that can be executed.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
}

// recorded returns the lines of a file that the program has written.
func (s *script) recorded(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return lines(string(text))
}

// status returns the status of an ended process.
func status(t *testing.T, err error) int {
	t.Helper()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return 0
}

// TestPartsOfTasks has each task of an array do its parts. Together they do each part once.
func TestPartsOfTasks(t *testing.T) {
	for name, shell := range shells(t) {
		t.Run(name, func(t *testing.T) {
			var all []string
			for task := range 3 {
				s := prepareScript(t, shell, func(c *engines.Campaign) string { return workScript(c, 3, 2) }, task)
				if err := s.cmd.Run(); err != nil {
					t.Fatalf("%v: %s", err, s.text.String())
				}
				if diff := cmp.Diff([]string{"work --check", fmt.Sprint("work ", s.cmd.Process.Pid)}, s.recorded(t, "calls")); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
				all = append(all, s.recorded(t, "lines")...)
			}
			want := []string{"0-10", "30-40", "60-70", "10-20", "40-50", "20-30", "50-60"}
			if diff := cmp.Diff(want, all); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAttempts has the program fail in a task, and in the job that ends a campaign.
func TestAttempts(t *testing.T) {
	for name, test := range map[string]struct {
		statuses      []int // the first one is that of --check
		tries, status int
		says          string
	}{
		"a part fails once":        {[]int{0, 1, 0}, 2, 0, "attempt 2 of 3"},
		"the worker is killed":     {[]int{0, 137, 3, 0}, 3, 0, "status 137: attempt 2 of 3"},
		"a part fails always":      {[]int{0, 1, 1, 1, 0}, 3, 1, "attempt 3 of 3"},
		"the job is invalid":       {[]int{0, 2, 0}, 1, 2, ""},
		"a run holds the lock":     {[]int{0, 5, 0}, 1, 5, ""},
		"the node cannot work":     {[]int{1, 0}, 0, 1, "n1 cannot work on this plan: status 1"},
		"the node has no job file": {[]int{2, 0}, 0, 2, "n1 cannot work on this plan: status 2"},
		"the node has no program":  {[]int{127, 0}, 0, 127, "n1 cannot work on this plan: status 127"},
	} {
		t.Run(name, func(t *testing.T) {
			for shellName, shell := range shells(t) {
				s := prepareScript(t, shell, func(c *engines.Campaign) string { return workScript(c, 3, 3) }, 1, test.statuses...)
				if got := status(t, s.cmd.Run()); got != test.status || !strings.Contains(s.text.String(), test.says) {
					t.Errorf("%s: status %d, want %d; standard error %q, want %q", shellName, got, test.status, s.text.String(), test.says)
				}
				if got := len(s.recorded(t, "calls")) - 1; got != test.tries {
					t.Errorf("%s: %d attempts, want %d", shellName, got, test.tries)
				}
				if test.tries == 0 {
					continue
				}
				s = prepareScript(t, shell, func(c *engines.Campaign) string { return finishScript(c, 3) }, 1, test.statuses[1:]...)
				if got := status(t, s.cmd.Run()); got != test.status || len(s.recorded(t, "calls")) != test.tries {
					t.Errorf("%s: finish: status %d, want %d; calls %q, want %d", shellName, got, test.status, s.recorded(t, "calls"), test.tries)
				}
			}
		})
	}
}

// TestTimeIsOver sends SIGTERM to the shell and to the program, as Slurm does when the time of a job
// is over. The shell waits for the program and does not call it again.
func TestTimeIsOver(t *testing.T) {
	for name, shell := range shells(t) {
		t.Run(name, func(t *testing.T) {
			s := prepareScript(t, shell, func(c *engines.Campaign) string { return finishScript(c, 3) }, 0)
			if err := syscall.Mkfifo(filepath.Join(s.dir, "begun"), 0o600); err != nil {
				t.Fatal(err)
			}
			s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := s.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.ReadFile(filepath.Join(s.dir, "begun")); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if got := status(t, s.cmd.Wait()); got != 3 {
				t.Errorf("status %d, want 3: %s", got, s.text.String())
			}
			if diff := cmp.Diff([]string{"finish " + lockTime, "stopped"}, s.recorded(t, "calls")); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSyntax has shells read the scripts, which are quoted once more in the text of a request.
func TestSyntax(t *testing.T) {
	c := campaign("zmigrate", 3)
	r, err := prepare(c, Options{Folder: "/a b/it's 50%", Site: []string{"--comment=a 'b' $c"}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for name, shell := range shells(t) {
		for _, text := range []string{r.Work.Script, r.Finish.Script, r.Text()} {
			cmd := exec.CommandContext(t.Context(), shell[0], append(slices.Clone(shell[1:]), "-n")...)
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s:\n%s", name, err, out, text)
			}
		}
	}
}
