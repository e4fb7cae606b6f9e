//go:build unix

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
)

// terminal is a program at a pseudo-terminal of 80 columns.
type terminal struct {
	*testing.T
	command *exec.Cmd
	file    *os.File
	chunks  chan string // what the program prints; closed when it ends
	screen  string      // all of it so far
	seen    int         // how much of screen wait has passed
}

// atTerminal starts a command of the program at a terminal, in a folder.
func atTerminal(t *testing.T, folder string, args ...string) *terminal {
	t.Helper()
	return startAtTerminal(t, folder, zmigrate(t.Context(), t, args...))
}

// startAtTerminal starts a command at a terminal, in a folder.
func startAtTerminal(t *testing.T, folder string, command *exec.Cmd) *terminal {
	t.Helper()
	x := &terminal{T: t, command: command, chunks: make(chan string)}
	x.command.Dir, x.command.Stdout, x.command.Stderr = folder, nil, nil // the terminal
	var err error
	if x.file, err = pty.StartWithSize(x.command, &pty.Winsize{Rows: 24, Cols: 80}); errors.Is(err, pty.ErrUnsupported) || errors.Is(err, os.ErrPermission) {
		t.Skip("there is no pseudo-terminal: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.file.Close() })
	go func() {
		defer close(x.chunks)
		buffer := make([]byte, 4096)
		for {
			n, err := x.file.Read(buffer)
			if n > 0 {
				x.chunks <- string(buffer[:n])
			}
			if err != nil { // on Linux, EIO when the program has ended
				return
			}
		}
	}()
	return x
}

// wait reads until a text appears behind those that earlier calls have waited for.
func (x *terminal) wait(text string) {
	x.Helper()
	deadline := time.After(time.Minute)
	for {
		if i := strings.Index(x.screen[x.seen:], text); i >= 0 {
			x.seen += i + len(text)
			return
		}
		select {
		case more, ok := <-x.chunks:
			if !ok {
				x.Fatalf("no %q; the screen:\n%s", text, x.screen)
			}
			x.screen += more
		case <-deadline:
			x.Fatalf("no %q after a minute; the screen:\n%s", text, x.screen)
		}
	}
}

// types types a line.
func (x *terminal) types(line string) {
	x.Helper()
	if _, err := x.file.WriteString(line + "\n"); err != nil {
		x.Fatal(err)
	}
}

// end waits for the end of a program that succeeds, and returns what it has printed.
func (x *terminal) end() string {
	x.Helper()
	for more := range x.chunks {
		x.screen += more
	}
	if err := x.command.Wait(); err != nil {
		x.Fatalf("%v; the screen:\n%s", err, x.screen)
	}
	return x.screen
}

// Somebody at a terminal answers the questions of init, one of them wrong at first, runs the job
// with a bar, and verifies the result.
func TestTerminal(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	data, err := os.ReadFile(example)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "coads.cdf"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	x := atTerminal(t, folder, "init", "--interactive", "-o", "job.yaml", "coads.cdf")
	x.wait("Where should the result go?")
	x.wait("): ")
	x.types("asked.zarr")
	x.wait("How will it be read? map, time-series, both, or nothing special (default): ")
	x.types("maps")
	x.wait("maps\r\n  maps: want map, time-series or both\r\nHow will it be read?")
	x.types("map")
	x.wait("May values be rounded? The largest error, such as 0.01, or no (default): ")
	x.types("much")
	x.wait("much: want a number above 0, such as 0.01, abs:0.01 or rel:0.001")
	x.wait("or no (default): ")
	x.types("")
	x.wait("job.yaml written; next: zmigrate plan job.yaml\r\n")
	x.end()
	job, err := os.ReadFile(filepath.Join(folder, "job.yaml"))
	if text := string(job); err != nil || !strings.Contains(text, "\n  url: asked.zarr ") || !strings.Contains(text, "\n  access: map ") || strings.Contains(text, "quantize") {
		t.Fatalf("%v\n%s", err, text)
	}

	// Tables and help fit the terminal.
	for _, args := range [][]string{{"plan", "--help"}, {"run", "job.yaml"}} {
		x = atTerminal(t, folder, args...)
		screen := x.end()
		// Both a new line and a new state of the bar begin at the left.
		for _, line := range strings.FieldsFunc(screen, func(c rune) bool { return c == '\n' || c == '\r' }) {
			if n := utf8.RuneCountInString(line); n > 80 && !strings.Contains(line, "open with") {
				t.Errorf("%q: a line of %d columns: %q", args, n, line)
			}
		}
		if args[0] == "run" {
			for _, want := range []string{"\r", "10 of 10 objects 100%", "\ncoads: done\r\n", "asked.zarr"} {
				if !strings.Contains(screen, want) {
					t.Errorf("no %q on the screen:\n%s", want, screen)
				}
			}
		}
	}
	x = atTerminal(t, folder, "verify", "--level", "source", "job.yaml")
	if screen := x.end(); !strings.Contains(screen, "coads: verified\r\n") || !strings.Contains(screen, "differences  0\r\n") {
		t.Errorf("the screen:\n%s", screen)
	}

	// Without -o, the job is only shown.
	x = atTerminal(t, folder, "init", "--interactive", "--trials", "0", "coads.cdf")
	for range 3 {
		x.wait("(default")
		x.wait(": ")
		x.types("")
	}
	x.wait("zmigrate: 1\r\n")
	x.wait("nothing is written; with -o job.yaml, the job goes to that file")
	x.end()
}
