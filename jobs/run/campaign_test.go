package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/stages"
)

// stranger returns an owner on another machine.
func stranger() journal.Owner {
	owner := anyone()
	owner.Host, owner.Boot, owner.PIDNamespace = "elsewhere", "another", "another"
	return owner
}

// TestALiveWorkerKeepsRunsAway has a worker in the middle of a bundle. A run and a finish are
// refused. When the worker is dead, a run takes its units over, and the worker writes no more.
func TestALiveWorkerKeepsRunsAway(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks+"run: {lock_ttl: 6s}\n"), jobtest.Environment()
	want := func() map[string]string {
		if _, err := execute(t, j, env, Options{}); err != nil {
			t.Fatal(err)
		}
		files := contents(t, j.Target.URL)
		for _, place := range []string{j.Target.URL, j.Target.URL + ".zmigrate"} {
			if err := os.RemoveAll(place); err != nil {
				t.Fatal(err)
			}
		}
		return files
	}()
	p := begun(t, j, env)
	worked(t, p, env, 4, 6)
	w, err := NewWorker(t.Context(), p, env, Options{Owner: stranger()})
	if err != nil {
		t.Fatal(err)
	}
	entered, leave := make(chan struct{}, 10), make(chan struct{})
	failed := make(chan error)
	go func() {
		_, err := w.Work(t.Context(), Bundle{First: 0, End: 4}, Options{Observe: func(stages.Event) { entered <- struct{}{}; <-leave }})
		failed <- err
	}()
	<-entered
	s, err := ReadStatus(t.Context(), j, env)
	if err != nil || s.State != "running" || s.Campaign.Done != 1 || s.Campaign.Running != 1 || s.Campaign.Attempts[0].Owner.Host != "elsewhere" {
		t.Errorf("%+v, %v", s, err)
	}
	var held *journal.HeldError
	if _, err := execute(t, j, env, Options{Owner: anyone()}); !errors.As(err, &held) || held.Owner.Host != "elsewhere" {
		t.Errorf("a run: %v", err)
	}
	if _, err := Finish(t.Context(), p, env, Options{Owner: anyone()}); !errors.As(err, &held) {
		t.Errorf("finish: %v", err)
	}
	// Another process takes the lock of the worker, as if its heartbeats had stopped.
	markers, err := filepath.Glob(filepath.Join(filepath.Dir(begunFile(t, j.Target.URL)), "lock", "*.json"))
	if err != nil || len(markers) != 1 {
		t.Fatalf("%v, %v", markers, err)
	}
	text, err := os.ReadFile(markers[0])
	if err != nil {
		t.Fatal(err)
	}
	released := strings.Replace(string(text), "{", `{"released":true,`, 1)
	if err := os.WriteFile(filepath.Join(filepath.Dir(markers[0]), "000002.json"), []byte(released), 0o600); err != nil {
		t.Fatal(err)
	}
	close(leave)
	if err := <-failed; !errors.Is(err, journal.ErrLost) {
		t.Errorf("a worker without its lock: %v", err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if s, err := ReadStatus(t.Context(), j, env); err != nil || s.State != "saved" || s.Campaign.Failed != 1 || s.Campaign.Attempts[0].State != "lost" || s.Done != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	result, err := execute(t, j, env, Options{Owner: anyone()})
	if err != nil || result.Resumed != 2 {
		t.Errorf("%+v, %v", result, err)
	}
	if diff := cmp.Diff(want, contents(t, j.Target.URL)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// begunFile returns the mark of the attempt that has not ended.
func begunFile(t *testing.T, target string) string {
	t.Helper()
	begun, err := filepath.Glob(filepath.Join(target+".zmigrate", "work", "*", "*", "*.begun"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range begun {
		if _, err := os.Stat(strings.TrimSuffix(file, ".begun") + ".jsonl"); errors.Is(err, os.ErrNotExist) {
			return file
		}
	}
	t.Fatal("no attempt is under way")
	return ""
}

// TestTwoCampaignsOnOneTarget saves the plan of a job, and then begins another job with the same
// target and another checkpoint.
func TestTwoCampaignsOnOneTarget(t *testing.T) {
	env := jobtest.Environment()
	j := jobtest.Raw(t, smallChunks)
	other := jobtest.RawIn(t, j.Dir, smallChunks+"run: {checkpoint: {url: elsewhere}}\n")
	p := begun(t, j, env)
	if _, err := execute(t, other, env, Options{Owner: anyone()}); !errors.Is(err, ErrOtherCampaign) || !strings.Contains(err.Error(), "delete campaign.json in") {
		t.Errorf("the other checkpoint: %v", err)
	}
	worked(t, p, env, 0, 6)
	if _, err := Finish(t.Context(), p, env, Options{Owner: anyone()}); err != nil {
		t.Fatal(err)
	}

	j = jobtest.Raw(t, smallChunks+"run: {checkpoint: {url: elsewhere}}\n")
	other = jobtest.RawIn(t, j.Dir, smallChunks)
	p = begun(t, j, env)
	if _, err := execute(t, other, env, Options{Owner: anyone()}); !errors.Is(err, ErrOtherCampaign) {
		t.Errorf("the checkpoint beside the target: %v", err)
	}
	worked(t, p, env, 0, 6)
	if _, err := Finish(t.Context(), p, env, Options{Owner: anyone()}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(j.Target.URL+".zmigrate", "campaign.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left beside the target: %v", err)
	}
}

// TestAFolderThatIsNotShared works on a job whose checkpoint is shared and whose target is not.
func TestAFolderThatIsNotShared(t *testing.T) {
	env := jobtest.Environment()
	j := jobtest.Raw(t, smallChunks+"run: {checkpoint: {url: elsewhere}}\n")
	p := begun(t, j, env)
	if err := os.RemoveAll(j.Target.URL + ".zmigrate"); err != nil {
		t.Fatal(err)
	}
	if _, err := work(t, p, env, Bundle{First: 0, End: 6}, Options{}); err == nil || !strings.Contains(err.Error(), "this machine does not see the folder") {
		t.Errorf("got %v", err)
	}
}

// TestAClockThatDiffers has a store whose clock is an hour behind.
func TestAClockThatDiffers(t *testing.T) {
	j, env := jobtest.Raw(t, smallChunks), jobtest.Environment()
	p := begun(t, j, env)
	w, err := NewWorker(t.Context(), p, env, Options{Owner: anyone()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	marker, err := filepath.Glob(filepath.Join(j.Target.URL+".zmigrate", "work", "*", "*", "lock", "*.json"))
	if err != nil || len(marker) != 1 {
		t.Fatalf("%v, %v", marker, err)
	}
	hour := time.Now().Add(-time.Hour)
	if err := os.Chtimes(marker[0], hour, hour); err != nil {
		t.Fatal(err)
	}
	if err := w.sameClock(t.Context()); err == nil || !strings.Contains(err.Error(), "differ by 1h0m0s") {
		t.Errorf("got %v", err)
	}
}
