package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs"
)

// attack is something that a migration has to survive. A try decides with r what
// happens, and fails t if a promise is broken. It returns how many blows it dealt:
// kills, faults, damaged bytes.
type attack struct {
	name, blows string // blows is the word for them
	every       int    // it has one try in that many rounds; 0: it is tried only if it is selected
	try         func(t *testing.T, r *rand.Rand) int
}

// attacks lists all attacks of TestSoak.
func attacks() []attack {
	return []attack{
		{"killed", "kills", 1, soakKilled},
		{"restarted", "kills", 2, soakRestarted},
		{"campaign", "kills", 1, soakCampaign},
		{"network", "faults", 1, soakNetwork},
		{"takeover", "takeovers", 2, soakTakeover},
		{"damaged-source", "damaged places", 1, soakDamagedSource},
		{"damaged-checkpoint", "damaged places", 1, soakDamagedCheckpoint},
		{"growth", "chunks and arrays", 20, soakGrowth},
		{"dask", "kills", 0, soakDask},
		{"slurm", "kills", 0, soakSlurm},
	}
}

// TestSoak attacks migrations for the time ZMIGRATE_SOAK, one attack after the other.
// Each try has a seed of its own. With ZMIGRATE_SEED=N, the try with seed N comes
// first. ZMIGRATE_ATTACK is a regular expression that selects attacks.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("ZMIGRATE_SOAK"))
	if err != nil {
		t.Skip("make soak SOAK=10m runs it for ten minutes")
	}
	seed := uint64(1)
	if text := os.Getenv("ZMIGRATE_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	selection := os.Getenv("ZMIGRATE_ATTACK")
	chosen, err := regexp.Compile(selection)
	if err != nil {
		t.Fatal(err)
	}
	type count struct {
		tries, held, blows int
		skipped            bool // because something is missing
		failed             []string
	}
	all := slices.DeleteFunc(attacks(), func(a attack) bool { return !chosen.MatchString(a.name) || a.every == 0 && selection == "" })
	counts := make([]count, len(all))
	end := time.Now().Add(length)
	possible := func(c count) bool { return !c.skipped }
	for round := 0; slices.ContainsFunc(counts, possible) && (round == 0 || time.Now().Before(end)); round++ {
		for i, a := range all {
			c := &counts[i]
			if c.skipped || round%max(1, a.every) != 0 || round > 0 && time.Now().After(end) {
				continue
			}
			c.tries++
			name := strconv.FormatUint(seed+uint64(round), 10)
			held := t.Run(a.name+"/"+name, func(t *testing.T) {
				defer func() { c.skipped = t.Skipped() }()
				c.blows += a.try(t, rand.New(rand.NewPCG(seed+uint64(round), 0)))
			})
			switch {
			case c.skipped:
				c.tries--
			case held:
				c.held++
			default:
				c.failed = append(c.failed, name)
			}
		}
	}
	for i, a := range all {
		c := counts[i]
		line := fmt.Sprintf("%-20s %5d tries, %8d %s, %5d held", a.name, c.tries, c.blows, a.blows, c.held)
		if c.skipped {
			line += ", skipped: go test -v says what is missing"
		}
		if len(c.failed) > 0 {
			line += ", failed with the seeds " + strings.Join(c.failed, ", ")
		}
		_, _ = fmt.Fprintln(os.Stdout, line)
	}
}

// ended is how a run of the program ended.
type ended struct {
	status   int // -1 if a signal ended it
	messages string
	peak     int64 // of the resident size, in bytes
}

// soakRun runs the program. It fails the test if the program panics or does not end.
func soakRun(ctx context.Context, t *testing.T, args ...string) ended {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	var messages bytes.Buffer
	c := exec.CommandContext(limited, build(t), args...)
	c.Stderr = &messages
	if err := c.Start(); ctx.Err() != nil {
		return ended{status: -1} // it was killed before it began
	} else if err != nil {
		t.Fatal(err)
	}
	peak, over := make(chan int64), make(chan struct{})
	go func() { peak <- watchMemory(c.Process.Pid, over) }()
	err := c.Wait()
	close(over)
	e := ended{c.ProcessState.ExitCode(), messages.String(), <-peak}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited && limited.Err() == nil {
		t.Fatal(err)
	}
	if limited.Err() != nil && ctx.Err() == nil {
		t.Errorf("%q has not ended after five minutes", args)
	}
	if strings.Contains(e.messages, "goroutine ") || strings.Contains(e.messages, "fatal error:") {
		t.Errorf("%q panics:\n%.4000s", args, e.messages)
	}
	return e
}

// watchMemory polls the resident size of a process and returns the peak, in bytes. The
// peak that the system reports at the end includes this process.
func watchMemory(pid int, over <-chan struct{}) (peak int64) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, rest, ok := bytes.Cut(data, []byte("VmHWM:")); ok && !bytes.Contains(data, []byte("e2e.test")) {
			var kilobytes int64
			if _, err := fmt.Fscan(bytes.NewReader(rest), &kilobytes); err == nil {
				peak = max(peak, kilobytes<<10)
			}
		}
		select {
		case <-tick.C:
		case <-over:
			return peak
		}
	}
}

// soakJob makes a job of one of several shapes. If scale is more than 1, jobs of some shapes are
// larger. prepare restores the state before the job ran.
func soakJob(t *testing.T, r *rand.Rand, scale int) (shape, job, target string, prepare func()) {
	t.Helper()
	dir := fast(t)
	target = filepath.Join(dir, "out.zarr")
	prepare = func() { removeTarget(t, target) }
	jobOver := func(source, rest string) string {
		return write(t, dir, "job.yaml", fmt.Appendf(nil, "zmigrate: 1\nsource: %s\ntarget: {url: out.zarr}\nrun: {checkpoint: {every: 20ms}}\n%s", source, rest))
	}
	shapes := []string{"raw", "netcdf", "hdf5", "parquet", "carried", "sharded", "append", "overwrite"}
	shape = shapes[r.IntN(len(shapes))]
	side := 8 * (4 + r.IntN(6)) * scale
	switch shape {
	case "raw":
		job, _ = cube(t, dir, side, "gzip")
	case "netcdf":
		data, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, "in.cdf", data)
		job = jobOver("{driver: netcdf, url: in.cdf, include: [SST, UWND]}", "defaults: {codecs: [bytes, {zstd: {level: 9}}]}\n")
	case "hdf5", "parquet":
		list := samples(t, map[string]string{"hdf5": ".nc", "parquet": ".parquet"}[shape])
		s := list[r.IntN(len(list))]
		write(t, dir, "in"+filepath.Ext(s.name), s.data)
		nulls := map[string]string{"parquet": ", exclude: " + columnsWithNulls}[shape]
		job = jobOver(fmt.Sprintf("{driver: %s, url: in%s, unsupported: skip%s}", s.driver, filepath.Ext(s.name), nulls), "")
	case "carried", "sharded":
		first, _ := cube(t, dir, side, "zstd")
		undisturbed(t, first, target)
		if err := errors.Join(os.Rename(target, filepath.Join(dir, "in.zarr")), os.RemoveAll(target+".zmigrate")); err != nil {
			t.Fatal(err)
		}
		job = jobOver("{driver: zarr, url: in.zarr}", map[string]string{
			"sharded": "defaults: {chunks: [8, 8, 8], shards: [16, 16, 32]}\narrays: {field/line: {chunks: [1000], shards: [4000]}}\n",
		}[shape])
	case "append":
		n, m := 1+r.IntN(40), 1+r.IntN(400*scale)
		first := rows(t, dir, 0, n)
		job = rows(t, dir, n, m)
		prepare = func() { removeTarget(t, target); undisturbed(t, first, target) }
	case "overwrite":
		first, _ := cube(t, dir, 24, "zstd")
		older := filepath.Join(dir, "older.yaml")
		if err := os.Rename(first, older); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "other.bin", smooth(side*side*side))
		job = jobOver(fmt.Sprintf("{driver: raw, arrays: {field/values: {url: other.bin, data_type: float32, shape: [%[1]d, %[1]d, %[1]d]}}}", side),
			"arrays: {field/values: {chunks: [8, 8, 8]}}\n")
		data, err := os.ReadFile(job)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, "job.yaml", bytes.Replace(data, []byte("out.zarr}"), []byte("out.zarr, existing: overwrite}"), 1))
		prepare = func() { removeTarget(t, target); undisturbed(t, older, target) }
	}
	return shape, job, target, prepare
}

// columnsWithNulls are the columns of the samples in Parquet that have nulls, or that lists with
// nulls hold, as globs.
const columnsWithNulls = `["*null*", "*null*/**", "*_binary", "*_short", "*_list/**", "*_bool/**", "*_str*/**", "duration*", "time*", "map*/**", "struct/**", "within/**"]`

// soakKilled kills a job again and again, at random moments, until a run ends by
// itself.
func soakKilled(t *testing.T, r *rand.Rand) (kills int) {
	shape, job, target, prepare := soakJob(t, r, 1)
	args := []string{"run", "--log-level", "error", "--progress", "none", job}
	prepare()
	began := time.Now()
	if e := soakRun(t.Context(), t, args...); e.status != 0 {
		t.Fatalf("%s: undisturbed: status %d, %s", shape, e.status, e.messages)
	}
	duration := time.Since(began)
	finished := tree(t, target)
	prepare()
	for range 1 + r.IntN(12) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.Int64N(int64(duration)))/3)
		e := soakRun(ctx, t, args...)
		cancel()
		if e.status == 0 {
			break
		}
		if e.status != -1 {
			t.Fatalf("%s: after %d kills: status %d, %s", shape, kills, e.status, e.messages)
		}
		kills++
	}
	if e := soakRun(t.Context(), t, args...); e.status != 0 {
		t.Fatalf("%s: after %d kills: status %d, %s", shape, kills, e.status, e.messages)
	}
	if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
		t.Errorf("%s: after %d kills (-undisturbed +killed):\n%s", shape, kills, diff)
	}
	checkNoLeftovers(t, target)
	return kills
}

// soakRestarted kills runs that begin a finished job anew, and among them runs that go on.
func soakRestarted(t *testing.T, r *rand.Rand) (kills int) {
	shape, job, target, prepare := soakJob(t, r, 1)
	for shape == "append" {
		shape, job, target, prepare = soakJob(t, r, 1)
	}
	args := []string{"run", "--log-level", "error", "--progress", "none", job}
	prepare()
	began := time.Now()
	if e := soakRun(t.Context(), t, args...); e.status != 0 {
		t.Fatalf("%s: undisturbed: status %d, %s", shape, e.status, e.messages)
	}
	duration := time.Since(began)
	finished := tree(t, target)
	for range 2 + r.IntN(8) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.Int64N(int64(duration))))
		disturbed := args
		if r.IntN(3) > 0 {
			disturbed = append(slices.Clip(args), "--restart")
		}
		e := soakRun(ctx, t, disturbed...)
		cancel()
		if e.status == -1 {
			kills++
		} else if e.status != 0 {
			t.Fatalf("%s: after %d kills, %q: status %d, %s", shape, kills, disturbed, e.status, e.messages)
		}
	}
	if e := soakRun(t.Context(), t, args...); e.status != 0 {
		t.Fatalf("%s: after %d kills: status %d, %s", shape, kills, e.status, e.messages)
	}
	if diff := cmp.Diff(finished, tree(t, target)); diff != "" {
		t.Errorf("%s: after %d kills (-undisturbed +restarted):\n%s", shape, kills, diff)
	}
	checkNoLeftovers(t, target)
	return kills
}

// soakNetwork migrates from and to a server behind a network that breaks.
func soakNetwork(t *testing.T, r *rand.Rand) (faults int) {
	const factor = 100
	b := serve(t)
	job, finished := stormJob(t, b)
	w := weather{
		busy: r.Float64() / 8, reset: r.Float64() / 8, cut: r.Float64() / 8, broken: r.Float64() / 16,
		latency: time.Duration(r.IntN(400)) * time.Millisecond, outage: time.Duration(r.IntN(90)) * time.Second, outageAt: 1 + r.IntN(400),
	}
	p := newProxy(t, b.endpoint, w.faster(factor))
	p.chance = r
	env := environment()
	env.Sleep = hurry(factor)
	set := append(p.stormSet("out/a.zarr"), "run.lock_ttl="+(10*time.Minute/factor).String(), "run.checkpoint.every=50ms", "run.requests.retries=30")
	result, err := migrate(t.Context(), job, env, jobs.RunOptions{}, set...)
	if err != nil {
		t.Fatalf("%+v: %v", w, err)
	}
	if diff := cmp.Diff(finished, b.tree(t, "out/a.zarr")); diff != "" {
		t.Errorf("%+v: objects (-undisturbed +storm):\n%s", w, diff)
	}
	if result.Requests.Source.Requests == 0 {
		t.Error("no request was counted")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.faults {
		faults += n
	}
	return faults
}

// soakTakeover stops runs at random moments. Other runs take their locks over and
// finish, and then the stopped runs continue.
func soakTakeover(t *testing.T, r *rand.Rand) (tries int) {
	needNamespaces(t)
	t.Setenv("ZMIGRATE_SEED", strconv.FormatUint(r.Uint64(), 10))
	kinds := slices.Sorted(maps.Keys(existing))
	b := serve(t)
	at := func(try int) string { return fmt.Sprintf("%d.zarr", try) }
	d := newDuel(t, kinds[r.IntN(len(kinds))], func(try int) string { return b.url(at(try)) })
	d.fights(t, 4, func(try int) map[string]string { return b.tree(t, at(try)) })
	return 4
}

// soakGrowth plans, runs and repeats a job of very many chunks or of many arrays. The
// size is random. In ten minutes it is up to a million chunks, or up to a hundred
// thousand arrays. In a shorter time it is smaller in proportion.
func soakGrowth(t *testing.T, r *rand.Rand) (grown int) {
	length, err := time.ParseDuration(os.Getenv("ZMIGRATE_SOAK"))
	if err != nil {
		t.Fatal(err)
	}
	scale := min(1, length.Minutes()/10)
	chunks := int((0.5 + r.Float64()/2) * 1e6 * scale)
	arrays := int((0.5 + r.Float64()/2) * 1e5 * scale)
	dir := fast(t)
	source := write(t, dir, "data.bin", nil)
	if err := os.Truncate(source, int64(chunks)); err != nil {
		t.Fatal(err)
	}
	head := "zmigrate: 1\ntarget: {url: %s.zarr}\nrun: {memory: 64MiB}\n"
	var many strings.Builder // the arrays of one document
	many.WriteString(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{`)
	for i := range arrays {
		fmt.Fprintf(&many, `%s"g%d/a%d":{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":0,"codecs":["bytes"],`+
			`"chunk_key_encoding":"default","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}}}`, map[bool]string{true: ",", false: ""}[i > 0], i%100, i)
	}
	many.WriteString("}}}")
	write(t, dir, "in.zarr/zarr.json", []byte(many.String()))
	for _, c := range []struct {
		job   string
		units int
	}{
		{fmt.Sprintf(head+"source: {driver: raw, arrays: {a: {url: data.bin, data_type: uint8, shape: [%d]}}}\narrays: {a: {chunks: [1]}}\n", "empty", chunks), chunks},
		{fmt.Sprintf(head+"source: {driver: raw, arrays: {a: {url: data.bin, data_type: uint8, shape: [%d]}}}\narrays: {a: {chunks: [1], shards: [1000], fill_value: 1, codecs: [bytes]}}\n", "shards", chunks), chunks},
		{fmt.Sprintf(head+"source: {driver: zarr, url: in.zarr}\n", "arrays"), arrays},
	} {
		job := write(t, dir, "job.yaml", []byte(c.job))
		for again := range 2 {
			began := time.Now()
			e := soakRun(t.Context(), t, "run", "--log-level", "error", "--progress", "none", job)
			// A constant for the program, 32 bytes for a chunk, and 4 KiB for an array.
			most := int64(64<<20 + 128<<20 + 32*chunks)
			if c.units == arrays {
				most += int64(arrays) << 12
			}
			t.Logf("%d units, run %d: %v, peak %d MiB", c.units, again+1, time.Since(began), e.peak>>20)
			if e.status != 0 || e.peak > most {
				t.Errorf("%d units, run %d: status %d, peak %d MiB, at most %d wanted: %.1000s", c.units, again+1, e.status, e.peak>>20, most>>20, e.messages)
			}
		}
		grown += c.units
	}
	return grown
}
