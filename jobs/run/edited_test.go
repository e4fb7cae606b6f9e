package run

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/sources"
)

// editInPlace writes a byte into a file and puts the modification time of the file back.
func editInPlace(t *testing.T, file string, off int64) {
	t.Helper()
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte{0x7e}, off)
	if err = errors.Join(err, f.Close(), os.Chtimes(file, st.ModTime(), st.ModTime())); err != nil {
		t.Fatal(err)
	}
}

// TestSourceEditedInPlace changes a source file without a change of its size and modification
// time, after a job has completed and after a run was interrupted.
func TestSourceEditedInPlace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("change times are asked for on Linux")
	}
	fields := regexp.MustCompile(`,"","","[^"]*","[0-9a-f]{64}"`) // of a file in its list
	for _, test := range []struct {
		name         string
		do           func(t *testing.T, file string)
		old          bool // the record is of a program that did not know of it
		refuse, warn bool
	}{
		{"nothing", func(*testing.T, string) {}, false, false, false},
		{"the head", func(t *testing.T, file string) { editInPlace(t, file, 100) }, false, true, false},
		{"the end of the head", func(t *testing.T, file string) { editInPlace(t, file, 64<<10-1) }, false, true, false},
		{"behind the head", func(t *testing.T, file string) { editInPlace(t, file, 64<<10) }, false, false, true},
		{"permissions", func(t *testing.T, file string) {
			if err := os.Chmod(file, 0o640); err != nil {
				t.Fatal(err)
			}
		}, false, false, true},
		{"a link", func(t *testing.T, file string) {
			if err := os.Link(file, file+"2"); err != nil {
				t.Fatal(err)
			}
		}, false, false, true},
		{"the time", func(t *testing.T, file string) {
			if err := os.Chtimes(file, time.Time{}, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}, false, true, false},
		{"the head, with an old record", func(t *testing.T, file string) { editInPlace(t, file, 100) }, true, false, false},
	} {
		for _, interrupted := range []bool{false, true} {
			name := test.name + ", done"
			if interrupted {
				name = test.name + ", interrupted"
			}
			t.Run(name, func(t *testing.T) {
				j, env := largeJob(t), jobtest.Environment()
				record := "done.json"
				if interrupted {
					interrupt(t, j, env)
					record = "plan.json"
				} else if _, err := execute(t, j, env, Options{}); err != nil {
					t.Fatal(err)
				}
				if test.old {
					file := filepath.Join(j.Target.URL+".zmigrate", record)
					text, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					cut := fields.ReplaceAll(text, nil)
					if len(cut) == len(text) {
						t.Fatalf("%s has no such fields: %s", record, text)
					}
					if err := os.WriteFile(file, cut, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				test.do(t, filepath.Join(j.Dir, "a.raw"))
				var log bytes.Buffer
				env.Log = slog.New(slog.NewTextHandler(&log, nil))
				result, err := execute(t, j, env, Options{})
				var changed *environment.ChangedError
				switch {
				case test.refuse && (!errors.As(err, &changed) || !strings.Contains(err.Error(), "a.raw was ")):
					t.Errorf("%+v, %v", result, err)
				case !test.refuse && (err != nil || result.Nothing == interrupted):
					t.Errorf("%+v, %v", result, err)
				}
				if warned := strings.Contains(log.String(), "something was done to them"); warned != test.warn {
					t.Errorf("logs %s", log.String())
				}
			})
		}
	}
}

// TestSourceEditedWhileItIsRead edits the head of a source file during a run, and puts the
// modification time of the file back.
func TestSourceEditedWhileItIsRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("change times are asked for on Linux")
	}
	j, env := largeJob(t), jobtest.Environment()
	file := filepath.Join(j.Dir, "a.raw")
	if _, err := execute(t, j, env, Options{Begin: func(Progress) { editInPlace(t, file, 100) }}); !errors.Is(err, sources.ErrChanged) || !strings.Contains(err.Error(), "edited") {
		t.Errorf("%v", err)
	}
	j, env = largeJob(t), jobtest.Environment()
	file = filepath.Join(j.Dir, "a.raw")
	if _, err := execute(t, j, env, Options{Begin: func(Progress) {
		if err := os.Link(file, file+"2"); err != nil {
			t.Error(err)
		}
	}}); err != nil {
		t.Errorf("a link: %v", err)
	}
}
