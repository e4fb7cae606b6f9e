package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/s3test"
)

// bench measures with real processes in a folder of its own.
type bench struct {
	ctx     context.Context //nolint:containedctx // of the whole command
	program string
	dir     string
}

// newBench builds the program, and makes a folder, in memory if the machine has one.
func newBench(ctx context.Context) (b *bench, remove func(), err error) {
	dir, err := os.MkdirTemp("/dev/shm", "simulate")
	if err != nil {
		if dir, err = os.MkdirTemp("", "simulate"); err != nil {
			return nil, nil, err
		}
	}
	b = &bench{ctx, filepath.Join(dir, "zmigrate"), dir}
	c := exec.CommandContext(ctx, "go", "build", "-o", b.program, "./cmd/zmigrate")
	c.Stderr = os.Stderr
	return b, func() { _ = os.RemoveAll(dir) }, c.Run()
}

// command prepares a process of the program with one processor.
func (b *bench) command(input string, args ...string) *exec.Cmd {
	c := exec.CommandContext(b.ctx, b.program, args...)
	c.Stdin, c.Stderr = strings.NewReader(input), os.Stderr
	c.Env = append(os.Environ(), "GOMAXPROCS=1", "AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=secret", "AWS_EC2_METADATA_DISABLED=true",
		"AWS_SESSION_TOKEN=", "AWS_PROFILE=", "AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull)
	return c
}

// seconds runs a process and returns how long that takes.
func (b *bench) seconds(input string, args ...string) (float64, error) {
	c := b.command(input, args...)
	began := time.Now()
	err := c.Run()
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return time.Since(began).Seconds(), err
}

// median repeats a process and returns the median of its times.
func (b *bench) median(args ...string) (float64, error) {
	const times = 9
	var all []float64
	for range times {
		t, err := b.seconds("", args...)
		if err != nil {
			return 0, err
		}
		all = append(all, t)
	}
	slices.Sort(all)
	return all[times/2], nil
}

// job writes a job, and source arrays of so many units that are so long, and returns the path of
// the job. target is a URL, or "" for a folder beside the source.
func (b *bench) job(name string, arrays, units, elements int, target string) (string, error) {
	dir := filepath.Join(b.dir, name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	data := make([]byte, 0, 4*units*elements)
	for i := range units * elements {
		x := float64(i)
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(math.Round(1024*(15+10*math.Sin(x/997)+3*math.Cos(x/71)))/1024)))
	}
	var list strings.Builder
	for i := range arrays {
		fmt.Fprintf(&list, "    a%d: {url: data.bin, data_type: float32, endian: little, shape: [%d]}\n", i, units*elements)
	}
	if target == "" {
		target = filepath.Join(dir, "out.zarr")
	}
	text := fmt.Sprintf("zmigrate: 1\nsource:\n  driver: raw\n  arrays:\n%starget: {url: %q}\ndefaults: {chunks: [%d], codecs: [bytes, {zstd: {level: 3}}]}\nrun: {memory: 256MiB}\n", list.String(), target, elements)
	file := filepath.Join(dir, "job.yaml")
	return file, errors.Join(os.WriteFile(filepath.Join(dir, "data.bin"), data, 0o666), os.WriteFile(file, []byte(text), 0o666))
}

// save saves the plan of a job.
func (b *bench) save(job string, bundles int) error {
	_, err := b.seconds("", "plan", job, "--save", "--bundles", fmt.Sprint(bundles), "--log-level", "error")
	return err
}

// parts are lines for work --stdin: the bundles from first to end-1 of n.
func parts(first, end, n int) string {
	var b strings.Builder
	for i := first; i < end; i++ {
		fmt.Fprintf(&b, "%d/%d\n", i, n)
	}
	return b.String()
}

// measure measures all costs.
func (b *bench) measure() (c costs, err error) {
	steps := []func(*costs) error{b.starting, b.bundles, b.finishing, b.rate, b.requests}
	for _, step := range steps {
		if err := step(&c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// starting measures the start of processes.
func (b *bench) starting(c *costs) (err error) {
	if c.Process, err = b.median("--version"); err != nil {
		return err
	}
	const many = 1000
	of := func(arrays int) (float64, error) {
		job, err := b.job(fmt.Sprint("arrays", arrays), arrays, 4, 2, "")
		if err == nil {
			err = b.save(job, 1)
		}
		if err != nil {
			return 0, err
		}
		return b.median("work", job, "--check")
	}
	one, err := of(1)
	if err != nil {
		return err
	}
	all, err := of(many)
	c.Plan, c.PlanArray = max(0, one-c.Process), max(0, (all-one)/(many-1))
	return err
}

// bundles measures small bundles by one process, and a process that joins afterwards.
func (b *bench) bundles(c *costs) error {
	const few, many = 10, 2010
	job, err := b.job("bundles", 1, many, 2, "")
	if err == nil {
		err = b.save(job, many)
	}
	if err != nil {
		return err
	}
	t1, err1 := b.seconds(parts(0, few, many), "work", job, "--stdin", "--json")
	t2, err2 := b.seconds(parts(few, many, many), "work", job, "--stdin", "--json")
	c.Bundle = (t2 - t1) / (many - 2*few)
	join, err3 := b.median("work", job, "--check")
	listed, err4 := b.median("work", job, "--left", "--units", "0-1") // it is done
	const objects = 2 * many
	c.Object = max(0, listed-join) / objects
	fmt.Fprintf(os.Stderr, "joining: %.4f s, and with a list of %d bundles %.4f s\n", join, many, listed)
	return errors.Join(err1, err2, err3, err4)
}

// finishing measures finish for numbers of units and of bundles.
func (b *bench) finishing(c *costs) error {
	of := func(units, bundles int) (float64, error) {
		job, err := b.job(fmt.Sprintf("finish-%d-%d", units, bundles), 1, units, 2, "")
		if err == nil {
			err = b.save(job, bundles)
		}
		if err == nil {
			_, err = b.seconds(parts(0, bundles, bundles), "work", job, "--stdin", "--json")
		}
		if err != nil {
			return 0, err
		}
		t, err := b.seconds("", "finish", job)
		fmt.Fprintf(os.Stderr, "finish of %d units in %d bundles: %.3f s\n", units, bundles, t)
		return t, errors.Join(err, os.RemoveAll(filepath.Dir(job)))
	}
	small, err1 := of(10_000, 10)
	large, err2 := of(100_000, 10)
	many, err3 := of(10_000, 1010)
	c.FinishUnit = max(0, large-small) / 90_000
	c.Receipts = max(0, many-small) / 1000
	c.Finish = max(0, small-10_000*c.FinishUnit-10*c.Receipts-c.Process-c.Plan)
	return errors.Join(err1, err2, err3)
}

// rate measures bundles of two sizes by fresh processes with one processor each, two at a time.
func (b *bench) rate(c *costs) error {
	const small, large, elements = 8, 48, 1 << 20
	of := func(units int) (float64, error) {
		var jobs []string
		for _, name := range []string{"rate", "rate-too"} {
			job, err := b.job(name, 1, units, elements, "")
			if err == nil {
				err = b.save(job, 1)
			}
			if err != nil {
				return 0, err
			}
			jobs = append(jobs, job)
		}
		const times = 5
		var all []float64
		var err error
		for range times {
			took, failed := make([]float64, len(jobs)), make([]error, len(jobs))
			var group sync.WaitGroup
			for i, job := range jobs {
				group.Go(func() { took[i], failed[i] = b.seconds("", "work", job, "--bundle", "0/1") })
			}
			group.Wait()
			all = append(all, took...)
			err = errors.Join(append(failed, err)...)
		}
		slices.Sort(all)
		for _, job := range jobs {
			err = errors.Join(err, os.RemoveAll(filepath.Dir(job)))
		}
		return all[len(all)/2], err
	}
	t1, err1 := of(small)
	t2, err2 := of(large)
	c.Rate = 4 * (large - small) * elements / (t2 - t1)
	c.First = max(0, t1-4*small*elements/c.Rate-c.Process-c.Plan-c.Bundle)
	fmt.Fprintf(os.Stderr, "bundles of %d and %d MiB: %.3f and %.3f s\n", 4*small, 4*large, t1, t2)
	return errors.Join(err1, err2)
}

// counter counts the requests that a server of S3 gets.
type counter struct {
	mu sync.Mutex
	requests
	whole  float64 // lists of a whole checkpoint
	target float64 // lists of a whole target
}

func (c *counter) read() requests {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// requests counts requests to a server of S3. The source is a local file: so one request to read
// is added for each unit.
func (b *bench) requests(c *costs) error {
	inner, forget, err := s3test.Start()
	if err != nil {
		return err
	}
	defer forget()
	var seen counter
	var delay atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Duration(delay.Load()))
		seen.mu.Lock()
		switch {
		case r.Method == http.MethodGet && (r.URL.Query().Has("list-type") || strings.Count(r.URL.Path, "/") < 2):
			seen.List++
			if strings.HasSuffix(r.URL.Query().Get("prefix"), ".zmigrate/") {
				seen.whole++
			} else if strings.HasSuffix(r.URL.Query().Get("prefix"), ".zarr/") {
				seen.target++
			}
		case r.Method == http.MethodGet, r.Method == http.MethodHead:
			seen.Get++
		case r.Method != http.MethodDelete: // deletes are free
			seen.Put++
		}
		seen.mu.Unlock()
		r.Header.Del("X-Amz-Checksum-Crc32c")
		inner.ServeHTTP(w, r)
	}))
	defer server.Close()
	uncounted := httptest.NewServer(inner)
	defer uncounted.Close()
	checkpoint, err := store.Open(b.ctx, "s3://bucket/out.zarr.zmigrate?region=x&anonymous=true&use_path_style=true&endpoint="+uncounted.URL, store.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = checkpoint.Close() }()
	const units, few, many = 800, 10, 110
	job, err := b.job("requests", 1, units, 2, "s3://bucket/out.zarr?region=x&use_path_style=true&endpoint="+server.URL)
	if err == nil {
		err = b.save(job, few)
	}
	if err != nil {
		return err
	}
	during := func(input string, args ...string) (requests, error) {
		before := seen.read()
		_, err := b.seconds(input, append(args, "--json")...)
		return seen.read().add(before, -1), err
	}
	objects := func() (n float64) {
		_ = checkpoint.List(b.ctx, "", func(store.Info) error { n++; return nil })
		return n
	}
	n0 := objects()
	whole := seen.whole
	join, err0 := during("", "work", job, "--check")
	n1 := objects()
	c.Whole = seen.whole - whole
	// The same units, in bundles of one unit and in one bundle.
	single, err1 := during(parts(0, few, units), "work", job, "--stdin")
	n2 := objects()
	more, err2 := during(parts(few, many, units), "work", job, "--stdin")
	n3 := objects()
	one, err3 := during(fmt.Sprintf("%d-%d\n", many, many+many-few), "work", job, "--stdin")
	perBundle := more.add(single, -1)
	const bundles = many - 2*few
	inOne := one.add(join, -1)
	c.JoinRequests = join
	c.JoinRequests.List -= c.Whole                 // these grow
	each := requests{}.add(perBundle, 1.0/bundles) // a bundle of one unit
	// One bundle of many units: b + (many-few) u = inOne, and b + u = each.
	c.UnitRequests = inOne.add(each, -1).times(1.0 / (many - few - 1))
	c.BundleRequests = each.add(c.UnitRequests, -1)
	c.UnitRequests.Get++ // of the source
	c.ProcessObjects = n1 - n0
	c.BundleObjects = (n3 - n2 - (n2 - n1)) / bundles
	if err := errors.Join(err0, err1, err2, err3); err != nil {
		return err
	}
	// finish behind a slow server, after few and after many bundles
	const latency = 0.03
	finish := func(bundles int) (took float64, r requests, err error) {
		job, err := b.job(fmt.Sprint("finish", bundles), 1, units, 2, fmt.Sprintf("s3://bucket/finish%d.zarr?region=x&use_path_style=true&endpoint=%s", bundles, server.URL))
		if err == nil {
			err = b.save(job, bundles)
		}
		if err == nil {
			_, err = b.seconds(parts(0, bundles, bundles), "work", job, "--stdin", "--json")
		}
		if err != nil {
			return 0, r, err
		}
		delay.Store(int64(latency * float64(time.Second)))
		defer delay.Store(0)
		before, lists := seen.read(), seen.target
		took, err = b.seconds("", "finish", job)
		c.FinishLists = seen.target - lists
		return took, seen.read().add(before, -1), err
	}
	t1, r1, err1 := finish(few)
	t2, r2, err2 := finish(units)
	fmt.Fprintf(os.Stderr, "finish after %d and %d bundles behind a latency of 30 ms: %.2f and %.2f s; requests %+v and %+v\n", few, units, t1, t2, r1, r2)
	c.FinishWaits = (t2 - t1) / (units - few) / latency
	c.FinishRequests = r2.add(r1, -1).times(1.0 / (units - few))
	return errors.Join(err1, err2)
}

// times returns n times as many requests.
func (r requests) times(n float64) requests { return requests{}.add(r, n) }

// try compares a simulation with reality: two workers with one processor each do 40 bundles, with
// a process for each, and one process finishes.
func (b *bench) try(c costs) (simulated, real float64, err error) {
	const workers, bundles, units, elements = 2, 40, 80, 1 << 20
	job, err := b.job("try", 1, units, elements, "")
	if err == nil {
		err = b.save(job, bundles)
	}
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	next := make(chan int)
	failed := make([]error, workers)
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() {
			for bundle := range next {
				var out bytes.Buffer
				cmd := b.command("", "work", job, "--bundle", fmt.Sprintf("%d/%d", bundle, bundles), "--left")
				cmd.Stdout = io.Writer(&out)
				failed[i] = errors.Join(failed[i], cmd.Run())
			}
		})
	}
	for i := range bundles {
		next <- i
	}
	close(next)
	group.Wait()
	_, err = b.seconds("", "finish", job)
	real = time.Since(began).Seconds()
	s := scenario{Workers: workers, Bytes: 4 * units * elements, BundleSize: 4 * units * elements / bundles, UnitSize: 4 * elements, Arrays: 1, EachBundle: true, Seed: 1}
	here := limits{Puts: math.Inf(1), Gets: math.Inf(1), Prefixes: 1, Network: math.Inf(1)}
	return simulate(s, c, here).Wall, real, errors.Join(append(failed, err)...)
}
