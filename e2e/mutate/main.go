// Command mutate tests the tests. It puts small faults into packages, one at a time,
// and counts the faults that the package's own tests do not notice.
//
//	go run ./e2e/mutate -n 60 -seed 1 ./sinks ./stages ./internal/store/local+./internal/store
//
// Packages with a "," between them are tried together: the tests of each of them count for
// all of them. Behind a "+" is another package whose tests count: one that uses the
// packages, and tests them from there.
//
// The faults are chosen at random; the same seed gives the same faults. Nothing in the
// working tree is changed: the compiler reads the faulty files from a temporary folder
// (-overlay). All faults of a package are compiled and linked once. Each fault is a
// copy of its function, and an environment variable says which copy runs. For each
// fault, only the tests run that reach its function. Each test runs in a process of its
// own, the quickest first, until one fails.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetOutput(os.Stdout)
	n := flag.Int("n", 60, "faults in all `packages` together")
	seed := flag.Uint64("seed", 1, "another `number` chooses other faults")
	skip := flag.String("skip", "", "files that get no faults, by a regular `expression`")
	only := flag.String("only", "", "faults that are tried, by a regular `expression` for the lines that show them")
	equivalent := flag.String("equivalent", "e2e/mutate/equivalent.txt", "`file` with faults that change nothing")
	flag.Parse()
	known, err := readEquivalent(*equivalent)
	if err != nil {
		log.Fatal(err)
	}
	var rooms []*room
	sites := 0
	for _, path := range flag.Args() {
		r, err := open(path, *skip, *only)
		if err != nil {
			log.Fatal(err)
		}
		rooms = append(rooms, r)
		sites += len(r.faults)
	}
	if *only == "" {
		for _, line := range stale(known, rooms) {
			log.Printf("%s has a fault that is not there any more: %s", *equivalent, line)
		}
	}
	var all score
	for _, r := range rooms {
		share := (*n*len(r.faults) + sites/2) / sites // the room's share of all faults
		s, err := r.try(share, rand.New(rand.NewPCG(*seed, 0)), known)
		if err != nil {
			log.Fatalf("%s: %v", r.paths, err)
		}
		log.Printf("%-16s %s", r.paths, s)
		all.faults, all.noticed, all.equivalent = all.faults+s.faults, all.noticed+s.noticed, all.equivalent+s.equivalent
	}
	log.Printf("%-16s %s", "all", all)
	if all.noticed*10 < (all.faults-all.equivalent)*9 {
		log.Fatal("fewer than nine of ten faults were noticed")
	}
}

// score counts faults.
type score struct{ faults, noticed, equivalent int }

func (s score) String() string {
	return fmt.Sprintf("%4d faults, %4d noticed, %3d equivalent, %3d survived", s.faults, s.noticed, s.equivalent, s.faults-s.noticed-s.equivalent)
}

// readEquivalent reads the faults that no test can notice. Each is a line as String
// returns it. The reason is the indented line below.
func readEquivalent(name string) (map[string]bool, error) {
	data, err := os.ReadFile(name)
	known := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '\t' && line[0] != '#' {
			known[line] = true
		}
	}
	return known, err
}

// stale lists the faults in the file of equivalent faults that the rooms' files no
// longer have.
func stale(known map[string]bool, rooms []*room) (lines []string) {
	for line := range known {
		path, _, _ := strings.Cut(line, ": ")
		for _, r := range rooms {
			reads := func(s *source) bool {
				return filepath.Dir(path) == filepath.Clean(s.path) && s.texts[filepath.Base(path)] != ""
			}
			is := func(f *fault) bool { return f.String() == line }
			if slices.ContainsFunc(r.packages, reads) && !slices.ContainsFunc(r.faults, is) {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// try puts n faults into a room, one after the other.
func (r *room) try(n int, chance *rand.Rand, known map[string]bool) (s score, err error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	chance.Shuffle(len(r.faults), func(i, k int) { r.faults[i], r.faults[k] = r.faults[k], r.faults[i] })
	// Some faults do not compile, so more are tried than are needed.
	chosen := r.faults[:min(2*n+10, len(r.faults))]
	if chosen, err = r.build(dir, chosen); err != nil {
		return s, err
	}
	chosen = chosen[:min(n, len(chosen))]
	if err := r.measure(dir); err != nil {
		return s, err
	}
	for _, f := range chosen {
		s.faults++
		fate, err := r.tryFault(dir, f.number)
		if err != nil {
			return s, err
		}
		switch {
		case fate == "noticed" || fate == "endless":
			s.noticed++
		case known[f.String()]:
			s.equivalent++
			continue
		}
		if fate != "noticed" { // a reader can judge whether an endless test only had too little time
			log.Printf("%s: %s:%d: %s", fate, f.path, f.line, f.change())
		}
	}
	return s, nil
}

// measure runs each test without a fault. It measures how long the test takes and which
// functions it reaches.
func (r *room) measure(dir string) error {
	reached := filepath.Join(dir, "reached")
	var tests []*test
	for _, p := range r.tested {
		if _, err := os.Stat(p.binary); err != nil {
			continue // the package has no tests
		}
		list, err := command(context.Background(), &test{tester: p}, dir, 0, "", "-test.list=.").Output()
		if err != nil {
			return fmt.Errorf("the list of tests: %w", err)
		}
		for name := range strings.FieldsSeq(string(list)) {
			if !strings.HasPrefix(name, "Benchmark") {
				tests = append(tests, &test{tester: p, name: name})
			}
		}
	}
	for _, t := range tests {
		if err := os.WriteFile(reached, nil, 0o666); err != nil {
			return err
		}
		began := time.Now()
		if out, err := run(t, dir, 0, reached, time.Hour); err != nil {
			return fmt.Errorf("%s fails without a fault: %w\n%s", t.name, err, out)
		}
		t.took, t.reaches = time.Since(began), map[int]bool{}
		numbers, err := os.ReadFile(reached)
		if err != nil {
			return err
		}
		for n := range strings.FieldsSeq(string(numbers)) {
			number, _ := strconv.Atoi(n)
			t.reaches[number] = true
		}
		r.tests = append(r.tests, t)
	}
	slices.SortStableFunc(r.tests, func(a, b *test) int { return cmp.Compare(a.took, b.took) })
	return nil
}

// tryFault runs the tests that reach a fault's function, one after the other, until
// one fails. The fate is "noticed", or "endless" if that test did not end. If no test
// fails it is "survived", or "unreached" if no test reaches the function.
func (r *room) tryFault(dir string, number int) (fate string, err error) {
	fate = "unreached"
	for _, t := range r.tests {
		if !t.reaches[number] {
			continue
		}
		fate = "survived"
		out, err := run(t, dir, number, "", 3*t.took+20*time.Second) // a fault may make a test wait forever
		if err == nil {
			continue
		}
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			return "", err
		}
		if bytes.Contains(out, []byte("panic: test timed out after")) {
			return "endless", nil
		}
		return "noticed", nil
	}
	return fate, nil
}

// run runs a test with a fault, or with none if its number is 0.
func run(t *test, dir string, number int, reached string, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit+time.Minute)
	defer cancel()
	temporary := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(temporary, 0o777); err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary) //nolint:errcheck // a temporary folder
	return command(ctx, t, dir, number, reached, "-test.failfast", "-test.run=^"+t.name+"$", "-test.timeout="+limit.String()).CombinedOutput()
}

// command returns the command that runs the tests of a test's package in a process of their
// own. Its memory is bounded, because a fault may allocate all memory.
func command(ctx context.Context, t *test, dir string, number int, reached string, arguments ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -v 8000000; exec "$@"`, "sh", t.tester.binary}, arguments...)...)
	c.Dir, c.Env = t.tester.dir, append(os.Environ(), faultVariable+"="+strconv.Itoa(number), reachedVariable+"="+reached, "TMPDIR="+filepath.Join(dir, "tmp"))
	return c
}

// build compiles the room's tests with these faults, and returns those that compile.
func (r *room) build(dir string, faults []*fault) ([]*fault, error) {
	complaint := regexp.MustCompile(`(?m)^[^\s:]*?([^/\s:]+\.go):(\d+):`)
	var paths []string
	for _, s := range r.packages {
		paths = append(paths, s.path)
	}
	for {
		overlay := struct{ Replace map[string]string }{map[string]string{}}
		written := map[string][]byte{} // by the names in dir, which complaints have
		for path, text := range r.faulty(faults) {
			name := strings.ReplaceAll(path, string(filepath.Separator), "-")
			written[name], overlay.Replace[path] = text, filepath.Join(dir, name)
			if err := os.WriteFile(overlay.Replace[path], text, 0o666); err != nil {
				return nil, err
			}
		}
		list, err := json.Marshal(overlay)
		if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o666)); err != nil {
			return nil, err
		}
		arguments := []string{"-overlay", filepath.Join(dir, "overlay.json"), "-gcflags=-e"}
		out, err := exec.Command("go", slices.Concat([]string{"build", "-o", os.DevNull}, arguments, paths)...).CombinedOutput()
		if err == nil {
			for i, p := range r.tested {
				p.binary = filepath.Join(dir, fmt.Sprintf("room%d.test", i))
				out, err := exec.Command("go", append(append([]string{"test", "-c", "-vet=off", "-o", p.binary}, arguments...), p.path)...).CombinedOutput()
				if err != nil {
					return nil, fmt.Errorf("%w\n%s", err, out)
				}
			}
			return faults, nil
		}
		wrong := map[int]bool{}
		for _, found := range complaint.FindAllSubmatch(out, -1) {
			line, _ := strconv.Atoi(string(found[2]))
			wrong[faultAt(written[string(found[1])], line)] = true
		}
		var left []*fault
		for _, f := range faults {
			if !wrong[f.number] {
				left = append(left, f)
			}
		}
		if len(left) == len(faults) {
			return nil, fmt.Errorf("%w\n%s", err, out)
		}
		faults = left
	}
}

// faultAt returns the number of the fault in whose copy of a function a line lies.
func faultAt(text []byte, line int) (number int) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for i := 1; lines.Scan() && i <= line; i++ {
		if mark, ok := strings.CutPrefix(lines.Text(), faultMark); ok {
			number, _ = strconv.Atoi(mark)
		}
	}
	return number
}
