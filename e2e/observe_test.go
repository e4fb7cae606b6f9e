package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// heldRun is a run whose readers wait until the test lets them go on.
type heldRun struct {
	*exec.Cmd
	job      string
	target   string
	out      *bufio.Reader // what it prints after its first line
	messages *bufio.Reader
	id       string // of the run
	goOn     func()
}

// held starts a run of 8 chunks, with --json and a log in JSON, and returns when a reader
// waits for its server. environment is added to that of the test.
func held(t *testing.T, environment []string, args ...string) *heldRun {
	t.Helper()
	dir := fast(t)
	reads, gate := make(chan struct{}, 100), make(chan struct{})
	content := smooth(8 << 15)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first, last, size := 0, 0, 0
		if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last); n == 2 {
			size = last - first
		}
		if size > 64<<10 { // not a look at the size of the file
			reads <- struct{}{}
			select {
			case <-gate:
			case <-r.Context().Done():
			}
		}
		http.ServeContent(w, r, "", time.Unix(1700000000, 0), bytes.NewReader(content))
	}))
	t.Cleanup(server.Close)
	x := &heldRun{goOn: sync.OnceFunc(func() { close(gate) }), target: filepath.Join(dir, "out.zarr")}
	t.Cleanup(x.goOn) // before the server is closed
	x.job = write(t, dir, "night.yaml", fmt.Appendf(nil, `zmigrate: 1
source: {driver: raw, arrays: {group/a: {url: %q, data_type: float32, shape: [8, 32768]}}}
target: {url: out.zarr}
defaults: {chunks: [1, 32768]}
`, server.URL+"/data.bin"))
	x.Cmd = zmigrate(t.Context(), t, append([]string{"run", "--json", "--log-format", "json", "--log-level", "info", "--workers", "2"}, append(args, x.job)...)...)
	x.Env, x.Stderr = append(os.Environ(), environment...), nil
	pipe, err := x.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	x.messages = bufio.NewReader(pipe)
	pipe, err = x.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	x.out = bufio.NewReader(pipe)
	if err := x.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := x.out.ReadBytes('\n')
	var begin struct{ Event, Run string }
	if err != nil || json.Unmarshal(line, &begin) != nil || begin.Event != "begin" || begin.Run == "" {
		rest, _ := io.ReadAll(x.messages)
		t.Fatalf("the first line is %s, error %v\n%s", line, err, rest)
	}
	x.id = begin.Run
	<-reads
	return x
}

// message returns the next message of the run that contains a text.
func (x *heldRun) message(t *testing.T, text string) string {
	t.Helper()
	for {
		line, err := x.messages.ReadString('\n')
		if strings.Contains(line, text) {
			return line
		}
		if err != nil {
			t.Fatalf("no message %q: %v", text, err)
		}
	}
}

// end waits for the end of the run, and returns the rest of what it printed, and its status.
func (x *heldRun) end(t *testing.T) (output, messages string, status int) {
	t.Helper()
	var both [2][]byte
	var wait sync.WaitGroup
	for i, r := range []*bufio.Reader{x.out, x.messages} {
		wait.Go(func() { both[i], _ = io.ReadAll(r) })
	}
	wait.Wait()
	_ = x.Wait() // the status tells
	return string(both[0]), string(both[1]), x.ProcessState.ExitCode()
}

// metricsIn parses metrics with the parser of Prometheus. It returns the values by names
// and labels other than the job's, and fails the test if the text breaks a rule.
func metricsIn(t *testing.T, r io.Reader, job string) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for name, f := range families {
		counter := f.GetType() == dto.MetricType_COUNTER
		if counter != strings.HasSuffix(name, "_total") || f.GetHelp() == "" || !counter && f.GetType() != dto.MetricType_GAUGE {
			t.Errorf("%s is of type %s, with the help %q", name, f.GetType(), f.GetHelp())
		}
		for _, m := range f.GetMetric() {
			key := name
			ours := true
			for _, l := range m.GetLabel() {
				switch l.GetName() {
				case "job_name":
					ours = l.GetValue() == job
				case "version":
				default:
					key += " " + l.GetValue()
				}
			}
			if _, twice := values[key]; twice && ours {
				t.Errorf("%s has two values", key)
			}
			if ours {
				values[key] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	return values
}

// metricsOf reads the metrics in a file.
func metricsOf(t *testing.T, file, job string) map[string]float64 {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	return metricsIn(t, f, job)
}

// expect compares some of the samples.
func expect(t *testing.T, got map[string]float64, want map[string]float64) {
	t.Helper()
	for name, value := range want {
		if is, ok := got[name]; !ok || is != value {
			t.Errorf("%s is %v (%v), want %v", name, is, ok, value)
		}
	}
}

// TestMetrics reads the metrics of a run while the run goes on, over HTTP and in the file,
// and those of its end.
func TestMetrics(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "night.prom")
	if err := os.WriteFile(file, []byte("zmigrate_run_success{job_name=\"night\"} 0\nzmigrate_run_last_success_time_seconds{job_name=\"night\"} 17\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := held(t, nil, "--metrics-addr", "127.0.0.1:0", "--metrics-file", file)
	var serving struct{ URL string }
	if err := json.Unmarshal([]byte(x.message(t, "serving metrics")), &serving); err != nil {
		t.Fatal(err)
	}
	running := map[string]float64{
		"zmigrate_run_running": 1, "zmigrate_chunks_done": 0, "zmigrate_read_bytes_total": 0,
		"zmigrate_run_success": 0, "zmigrate_run_last_success_time_seconds": 17,
		"zmigrate_workers encode": 2, "zmigrate_errors_total failed": 0,
		"zmigrate_memory_budget_bytes": 1 << 30,
	}
	got := scrape(t, serving.URL)
	expect(t, got, running)
	expect(t, got, map[string]float64{"zmigrate_chunks": 8})
	if got["zmigrate_memory_reserved_bytes"] < 1<<17 || got["zmigrate_workers_busy read"] < 1 || got["zmigrate_requests_total source"] < 1 || got["zmigrate_run_start_time_seconds"] < 1.7e9 {
		t.Errorf("while a reader is at work: %v", got)
	}
	if _, ended := got["zmigrate_run_end_time_seconds"]; ended {
		t.Error("the run has an end before it has ended")
	}
	earlier := metricsOf(t, file, "night")
	delete(running, "zmigrate_workers encode")
	expect(t, earlier, running)
	x.goOn()
	if output, messages, status := x.end(t); status != 0 {
		t.Fatalf("status %d\n%s%s", status, output, messages)
	}
	done := metricsOf(t, file, "night")
	expect(t, done, map[string]float64{
		"zmigrate_run_running": 0, "zmigrate_run_exit_status": 0, "zmigrate_run_success": 1,
		"zmigrate_chunks": 8, "zmigrate_chunks_done": 8, "zmigrate_read_bytes_total": 1 << 20,
		"zmigrate_written_objects_total": 8, "zmigrate_empty_chunks_total": 0,
		"zmigrate_workers read": 0, "zmigrate_memory_reserved_bytes": 0,
		"zmigrate_run_last_success_time_seconds": done["zmigrate_run_end_time_seconds"],
	})
	if bytes := done["zmigrate_written_bytes_total"]; bytes < 1000 || bytes > 1<<20 {
		t.Errorf("%v bytes written", bytes)
	}
	checkAlone(t, file)

	// A verification keeps the times of runs. A chunk is gone.
	if err := os.Remove(filepath.Join(x.target, "group/a/c/3/0")); err != nil {
		t.Error(err)
	}
	if err := zmigrate(t.Context(), t, "verify", "--metrics-file", file, x.job).Run(); err == nil {
		t.Error("a chunk is gone, and the verification succeeded")
	}
	verified := metricsOf(t, file, "night")
	expect(t, verified, map[string]float64{
		"zmigrate_verify_exit_status": 4, "zmigrate_verify_success": 0, "zmigrate_verify_running": 0,
		"zmigrate_verified_objects": 7, "zmigrate_verified_objects_done": 7, "zmigrate_verified_differences": 1,
		"zmigrate_run_success": 1, "zmigrate_run_last_success_time_seconds": done["zmigrate_run_end_time_seconds"],
	})
	if n := verified["zmigrate_verified_bytes_total"]; n < 1000 || n >= done["zmigrate_written_bytes_total"] {
		t.Errorf("%v bytes verified", n)
	}

	// A run that fails keeps the time of the last success.
	c := zmigrate(t.Context(), t, "run", "--metrics-file", file, "--set", "defaults.chunks=[2, 32768]", x.job)
	if err := c.Run(); err == nil {
		t.Error("the target is of another job, and the run succeeded")
	}
	expect(t, metricsOf(t, file, "night"), map[string]float64{
		"zmigrate_run_success": 0, "zmigrate_run_exit_status": float64(c.ProcessState.ExitCode()), "zmigrate_errors_total failed": 1,
		"zmigrate_run_last_success_time_seconds": done["zmigrate_run_end_time_seconds"],
	})
	checkAlone(t, file)

	// A file that cannot be written is an error before anything is read.
	c = zmigrate(t.Context(), t, "run", "--metrics-file", filepath.Join(file, "below"), "--set", "target.url=other.zarr", x.job)
	if err := c.Run(); err == nil {
		t.Error("no error of a file below a file")
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(x.target), "other.zarr")); err == nil {
		t.Error("something was written")
	}
}

// checkAlone checks that there is no temporary file beside a file.
func checkAlone(t *testing.T, file string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the file: %v, %v", entries, err)
	}
}

// scrape reads metrics as Prometheus does.
func scrape(t *testing.T, url string) map[string]float64 {
	t.Helper()
	request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || expfmt.ResponseFormat(response.Header).FormatType() != expfmt.TypeTextPlain {
		t.Fatalf("status %s, type %q", response.Status, kind)
	}
	return metricsIn(t, response.Body, "night")
}

// TestNotifyHidesSecrets names a command by a variable: the warning that it is not there
// does not tell the variable's value.
func TestNotifyHidesSecrets(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	write(t, dir, "data.bin", smooth(16))
	job := write(t, dir, "a.yaml", []byte(`zmigrate: 1
source: {driver: raw, arrays: {a: {url: data.bin, data_type: float32, shape: [16]}}}
target: {url: out.zarr}
run: {notify: ["./${PLANTED}", "--token=${PLANTED}"]}
`))
	output, ok := runWithoutSecretIn(t, []string{"PLANTED=Hunter2-planted"}, "run", job)
	if !ok || !strings.Contains(output, "a.yaml:4:7: warning: run.notify: the command has failed: no such file or directory") {
		t.Errorf("succeeded: %v\n%s", ok, output)
	}
}
