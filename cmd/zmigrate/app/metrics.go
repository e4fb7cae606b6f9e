package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs"
)

// metricsEvery is the time between two versions of the file with metrics.
const metricsEvery = 5 * time.Second

// metricsFlags returns the flags of commands that tell Prometheus what they do.
func metricsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "metrics-addr", Usage: "serve metrics for Prometheus at http://`HOST:PORT`/metrics while the command runs"},
		&cli.StringFlag{Name: "metrics-file", Usage: "write metrics for Prometheus to a `FILE`, every few seconds and at the end"},
	}
}

// exporter publishes metrics of the runs of a command for Prometheus. A nil exporter
// publishes nothing.
type exporter struct {
	file   string // "": none
	log    *slog.Logger
	before map[string]float64 // samples of the file that an earlier command has left

	mu   sync.Mutex
	runs []*observation
}

// measured calls do. If the command line asks for metrics, it publishes them while do works.
func (a *app) measured(c *cli.Context, do func() error) (err error) {
	address, file := c.String("metrics-addr"), c.String("metrics-file")
	if address == "" && file == "" {
		return do()
	}
	m := &exporter{file: file, log: a.log}
	if file != "" {
		if m.before, err = outcomes(file); err == nil {
			err = inFolder(file) // before the command begins its work
		}
		if err != nil {
			return fmt.Errorf("--metrics-file %s: %w", file, err)
		}
	}
	var tasks sync.WaitGroup
	defer tasks.Wait()
	if address != "" {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return invalid(fmt.Errorf("%s: want HOST:PORT, such as 127.0.0.1:9090, or :9090", a.given("metrics-addr", address)))
		}
		listener, err := (&net.ListenConfig{}).Listen(c.Context, "tcp", address)
		if err != nil {
			return fmt.Errorf("%s: %w", a.given("metrics-addr", address), err)
		}
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", m)
		server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug)}
		tasks.Go(func() { _ = server.Serve(listener) }) // until Close
		defer func() { err = errors.Join(err, server.Close()) }()
		a.log.InfoContext(c.Context, "serving metrics", "url", "http://"+listener.Addr().String()+"/metrics")
	}
	a.metrics = m
	ended := make(chan struct{})
	defer close(ended)
	tasks.Go(func() {
		tick := time.NewTicker(metricsEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.save(c.Context)
			case <-ended:
				return
			}
		}
	})
	return do()
}

// add adds a run. It takes the place of an earlier run of the same command with the same
// name, because two samples must not have the same labels.
func (m *exporter) add(o *observation) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	m.runs = append(slices.DeleteFunc(m.runs, func(r *observation) bool { return r.job.Title() == o.job.Title() }), o)
	m.mu.Unlock()
	if m.file == "" {
		return nil
	}
	if err := m.replace(); err != nil {
		return fmt.Errorf("--metrics-file %s: %w", m.file, err)
	}
	return nil
}

// save replaces the file. If that fails, the run goes on.
func (m *exporter) save(ctx context.Context) {
	if m == nil || m.file == "" {
		return
	}
	if err := m.replace(); err != nil {
		m.log.WarnContext(ctx, "the file with metrics could not be written", "error", err)
	}
}

// replace replaces the file by a new one.
func (m *exporter) replace() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var text bytes.Buffer
	m.write(&text)
	return replaceFile(m.file, text.Bytes())
}

// ServeHTTP implements [http.Handler].
func (m *exporter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var text bytes.Buffer
	m.mu.Lock()
	m.write(&text)
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(text.Bytes())
}

// The metrics that are kept from the file of an earlier command, for each kind of command.
const (
	successMetric     = "zmigrate_%s_success"
	lastSuccessMetric = "zmigrate_%s_last_success_time_seconds"
)

// family is a metric, with a sample for each run or several.
type family struct {
	name, kind, help string
	samples          func(s *snapshot) []sample
}

// sample is a value with at most one label beside the name of the job.
type sample struct {
	label, is string
	value     float64
}

// snapshot is what a run has done at one moment.
type snapshot struct {
	*observation
	todo     jobs.Progress
	counts   counts
	sent     jobs.Requests
	ended    time.Time
	status   int
	used     int64
	workers  []stage
	verified verified
}

// stage is how many workers a stage has, and how many of them have work.
type stage struct {
	name       string
	busy, have int
}

func (o *observation) snapshot() *snapshot {
	s := &snapshot{observation: o, workers: []stage{{name: "read"}, {name: "encode"}, {name: "write"}}}
	for _, x := range o.monitor.Activities() {
		for i := range s.workers {
			if w := &s.workers[i]; w.name == x.Stage {
				w.have++
				if x.Array != "" {
					w.busy++
				}
			}
		}
	}
	s.used, _ = o.monitor.Memory()
	o.mu.Lock()
	defer o.mu.Unlock()
	s.todo, s.counts, s.sent, s.ended, s.status, s.verified = o.todo, o.counts, o.sent(), o.ended, o.status, o.verified
	return s
}

// oneIf is 1 if a condition holds, and 0 otherwise.
func oneIf(holds bool) []sample {
	if holds {
		return one(1)
	}
	return one(0)
}

// one is a sample without a label.
func one[T int | int64 | float64](value T) []sample { return []sample{{value: float64(value)}} }

func ofSides(source, target int64) []sample {
	return []sample{{"side", "source", float64(source)}, {"side", "target", float64(target)}}
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// outcomeKinds are the kinds of errors, by the exit statuses of the runs that such errors end.
func outcomeKinds() []struct {
	status int
	kind   string
} {
	return []struct {
		status int
		kind   string
	}{
		{exitFailed, "failed"}, {exitInvalid, "invalid"}, {exitStopped, "stopped"}, {exitDiffers, "differs"},
		{exitLocked, "locked"}, {exitInterrupted, "interrupted"},
	}
}

// families lists the metrics of all commands.
func families() []family {
	return slices.Concat(outcomeFamilies(runs), outcomeFamilies(verifies), runFamilies(), verificationFamilies())
}

// outcomeFamilies are the metrics that tell when commands of a kind begin, and how they end.
func outcomeFamilies(of kind) []family {
	only := func(samples func(s *snapshot) []sample) func(s *snapshot) []sample {
		return func(s *snapshot) []sample {
			if s.kind != of {
				return nil
			}
			return samples(s)
		}
	}
	atEnd := func(samples func(s *snapshot) []sample) func(s *snapshot) []sample {
		return only(func(s *snapshot) []sample {
			if s.ended.IsZero() {
				return nil
			}
			return samples(s)
		})
	}
	a := of.noun()
	return []family{
		{fmt.Sprintf("zmigrate_%s_start_time_seconds", of), "gauge", "When the " + a + " began, in seconds since 1970.",
			only(func(s *snapshot) []sample { return one(seconds(s.began)) })},
		{fmt.Sprintf("zmigrate_%s_end_time_seconds", of), "gauge", "When the " + a + " ended, in seconds since 1970. Absent while it goes on.",
			atEnd(func(s *snapshot) []sample { return one(seconds(s.ended)) })},
		{fmt.Sprintf("zmigrate_%s_running", of), "gauge", "1 while the " + a + " goes on, 0 when it has ended.",
			only(func(s *snapshot) []sample { return oneIf(s.ended.IsZero()) })},
		{fmt.Sprintf("zmigrate_%s_exit_status", of), "gauge", "The exit status of the " + a + ". Absent while it goes on.",
			atEnd(func(s *snapshot) []sample { return one(s.status) })},
		{fmt.Sprintf(successMetric, of), "gauge", "1 if the last " + a + " that ended has succeeded, 0 if it has not.",
			atEnd(func(s *snapshot) []sample { return oneIf(s.status == exitDone) })},
		{fmt.Sprintf(lastSuccessMetric, of), "gauge", "When the last " + a + " ended that has succeeded, in seconds since 1970.",
			atEnd(func(s *snapshot) []sample {
				if s.status != exitDone {
					return nil
				}
				return one(seconds(s.ended))
			})},
	}
}

// verificationFamilies are the metrics of a verification, whether it is a command of its own or
// the end of a run.
func verificationFamilies() []family {
	only := func(samples func(v *verified) []sample) func(s *snapshot) []sample {
		return func(s *snapshot) []sample {
			if !s.verified.begun {
				return nil
			}
			return samples(&s.verified)
		}
	}
	return []family{
		{"zmigrate_verified_objects", "gauge", "Objects that the verification reads, and blocks that it compares with the source.", only(func(v *verified) []sample { return one(v.objects) })},
		{"zmigrate_verified_objects_done", "gauge", "Objects and blocks that the verification has read.", only(func(v *verified) []sample { return one(v.read) })},
		{"zmigrate_verified_bytes_total", "counter", "Bytes of these objects and blocks.", only(func(v *verified) []sample { return one(v.bytes) })},
		{"zmigrate_verified_differences", "gauge", "Differences that the verification has found so far.", only(func(v *verified) []sample { return one(v.differences) })},
	}
}

// runFamilies are the metrics of a run.
func runFamilies() []family {
	list := []family{
		{"zmigrate_chunks", "gauge", "Chunks of the plan.",
			func(s *snapshot) []sample { return one(s.todo.Chunks) }},
		{"zmigrate_chunks_done", "gauge", "Chunks that are done, by this run or an earlier one.",
			func(s *snapshot) []sample { return one(s.todo.ChunksDone) }},
		{"zmigrate_read_bytes_total", "counter", "Bytes of array elements that the run has migrated, before compression.",
			func(s *snapshot) []sample { return one(s.counts.read) }},
		{"zmigrate_written_bytes_total", "counter", "Bytes of the chunks that the run has stored.",
			func(s *snapshot) []sample { return one(s.counts.written) }},
		{"zmigrate_written_objects_total", "counter", "Chunks that the run has stored.",
			func(s *snapshot) []sample { return one(s.counts.objects) }},
		{"zmigrate_empty_chunks_total", "counter", "Chunks of this run that hold only the fill value and are not stored.",
			func(s *snapshot) []sample { return one(s.counts.empty) }},
		{"zmigrate_requests_total", "counter", "Requests to remote stores, retries included.",
			func(s *snapshot) []sample { return ofSides(s.sent.Source.Requests, s.sent.Target.Requests) }},
		{"zmigrate_retries_total", "counter", "Requests to remote stores that repeat a failed one.",
			func(s *snapshot) []sample { return ofSides(s.sent.Source.Retries, s.sent.Target.Retries) }},
		{"zmigrate_errors_total", "counter", "Errors by kind: answers of a server that is too busy (throttled), other failures of requests that were repeated (transient), and what ended the run.",
			func(s *snapshot) []sample {
				all := s.sent.Source.Plus(s.sent.Target)
				list := []sample{{"kind", "throttled", float64(all.Throttled)}, {"kind", "transient", float64(max(all.Retries-all.Throttled, 0))}}
				for _, x := range outcomeKinds() {
					n := 0.0
					if !s.ended.IsZero() && s.status == x.status {
						n = 1
					}
					list = append(list, sample{"kind", x.kind, n})
				}
				return list
			}},
		{"zmigrate_workers", "gauge", "Workers of each stage. None before the first chunk and after the last one.",
			func(s *snapshot) (list []sample) {
				for _, w := range s.workers {
					list = append(list, sample{"stage", w.name, float64(w.have)})
				}
				return list
			}},
		{"zmigrate_workers_busy", "gauge", "Workers of each stage that have work and do not wait.",
			func(s *snapshot) (list []sample) {
				for _, w := range s.workers {
					list = append(list, sample{"stage", w.name, float64(w.busy)})
				}
				return list
			}},
		{"zmigrate_memory_budget_bytes", "gauge", "The most bytes of chunk data in memory (run.memory).",
			func(s *snapshot) []sample { return one(s.job.Run.Memory) }},
		{"zmigrate_memory_reserved_bytes", "gauge", "Bytes of the memory budget that are in use.",
			func(s *snapshot) []sample { return one(s.used) }},
	}
	for i, f := range list {
		list[i].samples = func(s *snapshot) []sample {
			if s.kind != runs {
				return nil
			}
			return f.samples(s)
		}
	}
	return list
}

// write writes the metrics in Prometheus' text format 0.0.4. The caller holds mu.
func (m *exporter) write(w *bytes.Buffer) {
	fmt.Fprintf(w, "# HELP zmigrate_build_info The version of the program; always 1.\n# TYPE zmigrate_build_info gauge\nzmigrate_build_info{version=%s} 1\n", labelValue(jobs.Program()))
	snapshots := make([]*snapshot, len(m.runs))
	for i, o := range m.runs {
		snapshots[i] = o.snapshot()
	}
	for _, f := range families() {
		values := map[string]float64{}
		var order []string
		for _, s := range snapshots {
			for _, x := range f.samples(s) {
				name := jobSample(f.name, s.job.Title(), x)
				values[name], order = x.value, append(order, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(m.before)) {
			if _, newer := values[name]; !newer && strings.HasPrefix(name, f.name+"{") {
				values[name], order = m.before[name], append(order, name)
			}
		}
		if len(order) > 0 {
			fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		}
		for _, name := range order {
			fmt.Fprintf(w, "%s %s\n", name, strconv.FormatFloat(values[name], 'f', -1, 64))
		}
	}
}

// jobSample returns the name of a sample with its labels. The job's label is not called
// job, because Prometheus gives that name to what it scrapes.
func jobSample(name, job string, x sample) string {
	labels := "job_name=" + labelValue(job)
	if x.label != "" {
		labels += "," + x.label + "=" + labelValue(x.is)
	}
	return name + "{" + labels + "}"
}

func labelValue(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(text, "\uFFFD")) + `"`
}

// outcomes reads, from a file that an earlier command has left, how the last run of each
// job ended. A run that goes on, or fails, must not hide when a run has last succeeded.
func outcomes(file string) (map[string]float64, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	found := map[string]float64{}
	var kept []string
	for _, of := range []kind{runs, verifies} {
		kept = append(kept, fmt.Sprintf(successMetric, of), fmt.Sprintf(lastSuccessMetric, of))
	}
	for line := range strings.Lines(string(text)) {
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || !slices.ContainsFunc(kept, func(name string) bool { return strings.HasPrefix(line, name+"{") }) {
			continue
		}
		if value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64); err == nil {
			found[line[:at]] = value
		}
	}
	return found, nil
}
