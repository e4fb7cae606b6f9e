//go:build unix

package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/engines"
)

// golden is the text of a request, for --dry-run.
const golden = "testdata/request.sh"

// TestText compares the text of a request with the file that shows it. With ZMIGRATE_UPDATE=1, it
// writes the file anew.
func TestText(t *testing.T) {
	c := &engines.Campaign{
		Name: "ocean", Program: "/opt/zmigrate", JobFile: "/data/my jobs/ocean.yaml", Plan: strings.Repeat("0123456789abcdef", 4), Count: 3,
		Work:   []string{"work", "/data/my jobs/ocean.yaml", "--plan", strings.Repeat("0123456789abcdef", 4)},
		Finish: []string{"finish", "/data/my jobs/ocean.yaml", "--plan", strings.Repeat("0123456789abcdef", 4)},
		Parts:  []string{"0-40", "40-80", "100-120"}, Memory: 3 << 29,
	}
	t.Setenv("PATH", "") // no Slurm
	r, err := Plan(t.Context(), c, Options{Slots: 2, Folder: "/data/my jobs/ocean.slurm", Site: []string{"--account=climate", "--time=2:00:00"}})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("ZMIGRATE_UPDATE") != "" {
		put(t, golden, r.Text())
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), r.Text()); diff != "" {
		t.Errorf("the text is not that of %s; ZMIGRATE_UPDATE=1 go test ./engines/slurm -run TestText writes it anew (-want +got):\n%s", golden, diff)
	}
}

// slurmCommand is a command of Slurm for tests. It records its arguments, and prints what is in the
// file NAME.out. The calls of sbatch print 11 and 12. If there is a file NAMEi.fails, call i fails and
// prints that file.
const slurmCommand = `#!/bin/sh
name=${0##*/}
here=${0%/*}
n=1
while [ -e "$here/$name$n.call" ]; do
	n=$((n + 1))
done
printf '%s\n' "$@" >"$here/$name$n.call"
if [ -e "$here/$name$n.fails" ]; then
	cat "$here/$name$n.fails" >&2
	exit 1
fi
if [ "$name" = sbatch ]; then
	echo "1$n;cluster"
elif [ -e "$here/$name.out" ]; then
	cat "$here/$name.out"
fi
`

// commands puts commands into the PATH. It writes the given files beside them, and returns their
// folder.
func commands(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"sbatch", "squeue", "sinfo", "scontrol", "scancel"} {
		put(t, filepath.Join(dir, name), slurmCommand)
	}
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// called returns the arguments of a call, such as sbatch2. It returns none if there was no such call.
func called(t *testing.T, dir, call string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, call+".call"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	return lines(string(text))
}

// configuration is a part of what scontrol show config prints.
const configuration = "MailProg                = /bin/mail\nMaxArraySize            = 50\nMaxDBDMsgs              = 20024\n"

// nodes is what sinfo prints about two partitions.
const nodes = "main*|8/12/4/24\nbig|0/100/0/100\n"

// TestSubmit submits a campaign. The text of the same request, which a shell runs, calls sbatch with
// the same arguments and writes the same scripts.
func TestSubmit(t *testing.T) {
	t.Setenv("SBATCH_PARTITION", "")
	for name, test := range map[string]struct {
		parts, tasks int
		opt          Options
	}{
		"as many tasks as cores":       {30, 5, Options{}},
		"cores of a named partition":   {60, 33, Options{Cores: 3, Site: []string{"--partition=main", "--partition=big"}}},
		"no more tasks than parts":     {3, 3, Options{Slots: 7}},
		"no more tasks than an array":  {80, 50, Options{Slots: 60}},
		"no more tasks than an array.": {80, 50, Options{Cores: 1, Site: []string{"-pbig"}}},
		"options of the site":          {3, 2, Options{Slots: 2, Site: []string{"--account=it's mine", "--exclude=n1,n2"}}},
		"all parts are done":           {0, 0, Options{Site: []string{"--partition=unknown"}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := commands(t, map[string]string{"sinfo.out": nodes, "scontrol.out": configuration})
			opt := test.opt
			opt.Folder = filepath.Join(t.TempDir(), "it's 50%")
			c := campaign("zmigrate", test.parts)
			s, err := Submit(t.Context(), c, opt)
			if err != nil {
				t.Fatal(err)
			}
			if s.Tasks != test.tasks {
				t.Errorf("%d tasks, want %d", s.Tasks, test.tasks)
			}
			ids := []string{"11", "12"}
			if test.parts == 0 {
				ids = ids[:1]
			}
			if diff := cmp.Diff(ids, s.IDs()); diff != "" {
				t.Errorf("jobs (-want +got):\n%s", diff)
			}
			want := [][]string{called(t, dir, "sbatch1"), called(t, dir, "sbatch2")}
			scripts := files(t, opt.Folder)
			if last := want[len(ids)-1]; test.parts > 0 && (!slices.Contains(last, "--dependency=afterok:11") || !slices.Contains(last, "--kill-on-invalid-dep=yes")) {
				t.Errorf("the last job depends on nothing: %q", last)
			}
			if err := os.RemoveAll(opt.Folder); err != nil {
				t.Fatal(err)
			}
			dir = commands(t, nil)
			cmd := exec.CommandContext(t.Context(), "sh")
			cmd.Stdin = strings.NewReader(s.Text())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if diff := cmp.Diff(want, [][]string{called(t, dir, "sbatch1"), called(t, dir, "sbatch2")}); diff != "" {
				t.Errorf("calls (-Submit +text):\n%s", diff)
			}
			if diff := cmp.Diff(scripts, files(t, opt.Folder)); diff != "" {
				t.Errorf("scripts (-Submit +text):\n%s", diff)
			}
		})
	}
}

// files returns the texts of the files in a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range list {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(name)] = string(text)
	}
	return found
}

// TestRefusals has Slurm, or the options, be in the way of a campaign. Nothing is left in Slurm's
// queue.
func TestRefusals(t *testing.T) {
	const down = "Unable to contact slurm controller (connect failure)\n"
	for name, test := range map[string]struct {
		files     map[string]string
		opt       Options
		says      string
		cancelled []string
	}{
		"no controller": {files: map[string]string{"squeue1.fails": "slurm_load_jobs error: " + down},
			says: "squeue: slurm_load_jobs error: Unable to contact slurm controller (connect failure) (scontrol ping shows"},
		"no answer about nodes": {files: map[string]string{"sinfo1.fails": down}, says: "--slots says it"},
		"jobs are pending": {files: map[string]string{"squeue.out": "12 12_[3-7] PENDING\n12 12_0 RUNNING\n14 14 PENDING\n"},
			says: "jobs of this plan are in Slurm's queue already (12_[3-7] PENDING, 12_0 RUNNING, 14 PENDING): wait for them, or cancel them by scancel 12 14"},
		"the array is refused": {files: map[string]string{"sbatch1.fails": "sbatch: error: invalid account\n"}, opt: Options{Slots: 1},
			says: "sbatch: sbatch: error: invalid account"},
		"the last job is refused": {files: map[string]string{"sbatch2.fails": "sbatch: error: too many jobs\n"}, opt: Options{Slots: 1},
			says: "too many jobs", cancelled: []string{"11"}},
		"no such partition":    {opt: Options{Site: []string{"--partition=gone"}}, says: "no partition gone: Slurm has main, big"},
		"no default partition": {files: map[string]string{"sinfo.out": "a|0/4/0/4\n"}, says: "no default partition: set one of a, as in --slurm --partition=a"},
		"no array jobs":        {files: map[string]string{"scontrol.out": "MaxArraySize = 0\n"}, says: "MaxArraySize = 0"},
		"two words":            {opt: Options{Site: []string{"--account", "climate"}}, says: `"climate" is no option of sbatch`},
		"another cluster":      {opt: Options{Site: []string{"--clusters=x"}}, says: "the cluster of this machine only"},
		"another cluster, -M":  {opt: Options{Site: []string{"-Mx"}}, says: "the cluster of this machine only"},
		"a strange folder":     {opt: Options{Slots: 1, Folder: `/a\b`}, says: "set another folder"},
	} {
		t.Run(name, func(t *testing.T) {
			all := map[string]string{"sinfo.out": nodes, "scontrol.out": configuration}
			maps.Copy(all, test.files)
			dir := commands(t, all)
			opt := test.opt
			if opt.Folder == "" {
				opt.Folder = t.TempDir()
			}
			s, err := Submit(t.Context(), campaign("zmigrate", 2), opt)
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("%+v, error %v, want %q", s, err, test.says)
			}
			if diff := cmp.Diff(test.cancelled, called(t, dir, "scancel1")); diff != "" {
				t.Errorf("cancelled (-want +got):\n%s", diff)
			}
			if first := called(t, dir, "sbatch1"); first != nil && test.cancelled == nil && test.files["sbatch1.fails"] == "" {
				t.Errorf("submitted: %q", first)
			}
		})
	}
	t.Run("no Slurm", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := Submit(t.Context(), campaign("zmigrate", 2), Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "squeue is not on the PATH: ") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("SBATCH_CLUSTERS", func(t *testing.T) {
		t.Setenv("SBATCH_CLUSTERS", "x")
		if err := CheckSite(nil); err == nil {
			t.Error("no error")
		}
	})
}

// TestWait waits for jobs that Slurm has requeued, and for such whose user wants them to begin later.
func TestWait(t *testing.T) {
	dir := commands(t, map[string]string{
		"squeue.out": "11  0    RUNNING    0  None\n11  1    PENDING    1   BeginTime\n11  2  PENDING  0  BeginTime\n" +
			"7   0    PENDING    1  BeginTime\n12  N/A   PENDING   2   BeginTime\n11  3  PENDING  1  Resources\n",
	})
	s := &Submitted{Request: &Request{Work: &Job{Name: "w"}, Finish: &Job{Name: "f"}}, WorkID: "11", FinishID: "12"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	list, err := s.tasks(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.release(ctx, list, log)
	for call, want := range map[string][]string{
		"scontrol1": {"update", "JobId=11_1", "StartTime=now"},
		"scontrol2": {"update", "JobId=12", "StartTime=now"},
		"scontrol3": nil,
	} {
		if diff := cmp.Diff(want, called(t, dir, call)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", call, diff)
		}
	}
	put(t, filepath.Join(dir, "squeue.out"), "11 0 COMPLETED 0 None\n11 1 FAILED 1 NonZeroExitCode\n12 N/A CANCELLED 0 DependencyNeverSatisfied\n8 0 RUNNING 0 None\n")
	failed, err := s.Wait(ctx, log)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(failed); err != nil || string(text) != `[{"id":"11_1","state":"FAILED","requeued":1},{"id":"12","state":"CANCELLED","requeued":0}]` {
		t.Errorf("failed: %s, error %v", text, err)
	}
	cancel()
	put(t, filepath.Join(dir, "squeue.out"), "11 0 RUNNING 0 None\n")
	if _, err := s.Wait(ctx, log); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
