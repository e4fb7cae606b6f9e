package app

import (
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/jobs"
)

// TestLiveVerification asks a process what it does before and while it verifies a target.
func TestLiveVerification(t *testing.T) {
	o := &observation{id: "r", job: &jobs.Job{Name: "night"}, began: time.Now()}
	if text := o.now().text(); !strings.Contains(text, "no worker has begun") {
		t.Errorf("%s", text)
	}
	o.verification(func(v *verified) { v.objects, v.read = 3, 1 })
	if text := o.now().text(); !strings.Contains(text, "  the verification has read 1 of 3 objects\n") || strings.Contains(text, "no worker") {
		t.Errorf("%s", text)
	}
}
