package app

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/zmigrate/zmigrate/jobs"
)

// TestMetricsOfJobs writes the metrics of two jobs with names that have to be escaped. The
// outcomes of a third job, and of a job that has failed now, are kept from the file before. So are
// those of runs when a verification writes the file.
func TestMetricsOfJobs(t *testing.T) {
	const odd, other, third = "a\"b\\c\nd", "other", "third"
	file := filepath.Join(t.TempDir(), "m.prom")
	write := func(of kind, status int, names ...string) {
		t.Helper()
		before, err := outcomes(file)
		if err != nil {
			t.Fatal(err)
		}
		m := &exporter{file: file, before: before}
		for _, name := range names {
			o := &observation{kind: of, job: &jobs.Job{Name: name}, began: time.Unix(5, 0), ended: time.Unix(100+int64(status), 0), status: status}
			if err := m.add(o); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(runs, exitDone, odd, third)
	write(runs, exitFailed, other, odd, odd)
	write(verifies, exitDiffers, odd)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for name, want := range map[string]map[string]float64{
		"zmigrate_run_success":                   {odd: 0, other: 0, third: 1},
		"zmigrate_run_last_success_time_seconds": {odd: 100, third: 100},
		"zmigrate_run_end_time_seconds":          {}, // of the last command alone
		"zmigrate_verify_success":                {odd: 0},
		"zmigrate_verify_end_time_seconds":       {odd: 100 + exitDiffers},
	} {
		if got := len(families[name].GetMetric()); got != len(want) {
			t.Errorf("%s has %d values, want %v\n%s", name, got, want, text)
		}
		for _, m := range families[name].GetMetric() {
			job := m.GetLabel()[0].GetValue()
			if value, ok := want[job]; !ok || value != m.GetGauge().GetValue() {
				t.Errorf("%s of %q is %v, want %v (%v)", name, job, m.GetGauge().GetValue(), value, ok)
			}
		}
	}
}
