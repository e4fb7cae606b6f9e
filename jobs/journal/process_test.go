package journal

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestGone tells which processes of this machine have ended.
func TestGone(t *testing.T) {
	self := ThisProcess("run")
	if !self.sameMachine(self) {
		t.Skip("this system has no /proc: only the time to live counts")
	}
	zombie := exec.Command("true") // has ended, and nobody has waited for it
	must(t, zombie.Start())
	defer zombie.Wait() //nolint:errcheck // it has ended
	for deadline := time.Now().Add(time.Minute); ; {
		if state, _ := processState(zombie.Process.Pid); state == "Z" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the process does not end")
		}
	}
	_, start := processState(1)
	for name, test := range map[string]struct {
		pid  int
		id   string
		gone bool
	}{
		"no number":                    {0, "x", false},
		"a negative number":            {-1, "x", false},
		"ended":                        {zombie.Process.Pid, "x", true},
		"alive":                        {1, "x", false},
		"alive, began then":            {1, "boot/pid/1/" + start, false},
		"alive, began at another time": {1, "boot/pid/1/7" + start, true},
		"another ID":                   {self.PID, "x", true},
		"itself":                       {self.PID, self.ID, false},
	} {
		o := self
		o.PID, o.ID = test.pid, test.id
		if o.Gone(self) != test.gone {
			t.Errorf("%s: gone is %v", name, !test.gone)
		}
	}
	for i, change := range []func(*Owner){
		func(o *Owner) { o.Host += "x" }, func(o *Owner) { o.Boot += "x" }, func(o *Owner) { o.PIDNamespace += "x" },
		func(o *Owner) { o.Boot = "" }, func(o *Owner) { o.PIDNamespace = "" },
	} {
		o := self
		change(&o)
		o.ID = "x"
		if o.Gone(self) || o.sameMachine(o) != (i < 3) {
			t.Errorf("change %d: gone is %v, and it is of its own machine: %v", i, o.Gone(self), o.sameMachine(o))
		}
	}
	if want := fmt.Sprintf("%s/%s/%d/", self.Boot, self.PIDNamespace, self.PID); len(self.ID) <= len(want) || self.ID[:len(want)] != want {
		t.Errorf("the ID is %s", self.ID)
	}
}

// TestStartOfProcess: this process began after the machine, and not in the future.
func TestStartOfProcess(t *testing.T) {
	_, start := processState(os.Getpid())
	if start == "" {
		t.Skip("this system has no /proc")
	}
	var ticks int64
	if _, err := fmt.Sscan(start, &ticks); err != nil {
		t.Fatal(err)
	}
	const tick = 10 * time.Millisecond // of Linux, on every platform
	if began, now := time.Duration(ticks)*tick, uptime(); ticks < 0 || began > now+time.Second {
		t.Errorf("it began %v after the machine, which has run for %v", began, now)
	}
}
