package e2e

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/journal"
)

// TestScripts runs the scripts in testdata/script against the program. Besides the
// commands of testscript, they have:
//
//	exits STATUS zmigrate ARGS…  run a command that must end with that status
//	example                      copy the shipped example to this folder
//	raw FILE TYPE FIRST N        write N numbers FIRST, FIRST+1, …; TYPE as in ">f4"
//	json FILE [PATH VALUE]…      each line of FILE is JSON; the last one has VALUE at PATH
//	digest NAME DIR              remember the files below DIR as NAME, or compare with NAME
//	hold FOLDER                  hold the lock of a checkpoint until the script ends
//	touch FILE                   set the time of the last change back by an hour
//	truncate FILE SIZE           cut a file
//	zip FILE FOLDER              make a zip archive of a folder
//	netcdf FILE VARIABLE…        write a NetCDF file, of variables like "t(y,x)=1,2;units=K"
//	arrow FOLDER                 unpack the Arrow and Parquet files of sources/arrow into a folder
//	netcdf4 FOLDER               unpack the NetCDF-4 files of sources/netcdf
//	hdf5 FOLDER                  unpack the HDF5 files of sources/netcdf/hdf5
func TestScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, "")
}

// runScripts runs the scripts. opener is $ZMIGRATE_OPENER of the program.
func runScripts(t *testing.T, opener string) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			here, err := os.Getwd()
			env.Setenv("EXAMPLES", filepath.Join(here, "..", "examples"))
			env.Setenv(openerVariable, opener)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "example": copyExample, "raw": rawFile, "json": checkJSON,
			"digest": digest, "hold": hold, "touch": touch, "truncate": truncate, "zip": zipFolder, "netcdf": netcdfFile,
			"arrow":   unpack("sources", "arrow", "testdata", "golden.zip"),
			"netcdf4": unpack("sources", "netcdf", "testdata", "netcdf4.zip"),
			"linked":  unpack("sources", "netcdf", "testdata", "linked.zip"),
			"hdf5":    unpack("sources", "netcdf", "hdf5", "testdata", "golden.zip"),
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func copyExample(ts *testscript.TestScript, _ bool, _ []string) {
	for _, name := range []string{"coads.yaml", "data/coads_climatology.cdf"} {
		data, err := os.ReadFile(filepath.Join(ts.Getenv("EXAMPLES"), name))
		ts.Check(err)
		ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(name)), 0o777))
		ts.Check(os.WriteFile(ts.MkAbs(name), data, 0o666))
	}
}

// zipFolder makes a zip archive of a folder.
func zipFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: zip FILE FOLDER")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	w := zip.NewWriter(f)
	ts.Check(w.AddFS(os.DirFS(ts.MkAbs(args[1]))))
	ts.Check(errors.Join(w.Close(), f.Close()))
}

// unpack returns a command that unpacks the test files of a driver.
func unpack(archive ...string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("want one folder")
		}
		files, err := zip.OpenReader(filepath.Join(append([]string{ts.Getenv("EXAMPLES"), ".."}, archive...)...))
		ts.Check(err)
		ts.Check(errors.Join(os.CopyFS(ts.MkAbs(args[0]), files), files.Close()))
	}
}

func rawFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: raw FILE TYPE FIRST N")
	}
	first, err := strconv.Atoi(args[2])
	ts.Check(err)
	n, err := strconv.Atoi(args[3])
	ts.Check(err)
	var order binary.AppendByteOrder = binary.LittleEndian
	if args[1][0] == '>' {
		order = binary.BigEndian
	}
	var data []byte
	for i := first; i < first+n; i++ {
		switch args[1][1:] {
		case "f4":
			data = order.AppendUint32(data, math.Float32bits(float32(i)))
		case "f8":
			data = order.AppendUint64(data, math.Float64bits(float64(i)))
		case "i2":
			data = order.AppendUint16(data, uint16(i))
		case "u1":
			data = append(data, byte(i))
		default:
			ts.Fatalf("no type %s", args[1])
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
}

func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 != 1 {
		ts.Fatalf("usage: json FILE [PATH VALUE]…")
	}
	text := ts.ReadFile(args[0])
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if json.Valid([]byte(text)) {
		lines = []string{text}
	}
	var last any
	for _, line := range lines {
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			ts.Fatalf("%v in %q", err, line)
		}
	}
	for i := 1; i < len(args); i += 2 {
		value, err := at(last, args[i])
		ts.Check(err)
		got, err := json.Marshal(value)
		ts.Check(err)
		if string(got) != args[i+1] && fmt.Sprint(value) != args[i+1] {
			ts.Fatalf("%s is %s, want %s, in %s", args[i], got, args[i+1], lines[len(lines)-1])
		}
	}
}

// at returns the value at a path such as arrays.0.path. The step len is the length of a
// list.
func at(value any, path string) (any, error) {
	for step := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			inner, ok := v[step]
			if !ok {
				return nil, fmt.Errorf("%s: no %q", path, step)
			}
			value = inner
		case []any:
			i, err := strconv.Atoi(step)
			if step == "len" {
				return len(v), nil
			}
			if err != nil || i >= len(v) {
				return nil, fmt.Errorf("%s: no item %q of %d", path, step, len(v))
			}
			value = v[i]
		default:
			return nil, fmt.Errorf("%s: nothing at %q", path, step)
		}
	}
	return value, nil
}

func digest(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: digest NAME DIR")
	}
	var b strings.Builder
	root := ts.MkAbs(args[1])
	ts.Check(filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		key, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		fmt.Fprintf(&b, "%x %s\n", sha256.Sum256(data), key)
		return err
	}))
	was := ts.MkAbs(".digest-" + args[0])
	old, err := os.ReadFile(was)
	switch {
	case errors.Is(err, os.ErrNotExist):
		ts.Check(os.WriteFile(was, []byte(b.String()), 0o666))
	case err != nil:
		ts.Fatalf("%v", err)
	case (string(old) == b.String()) == neg:
		ts.Fatalf("%s was\n%s\nis\n%s", args[0], old, b.String())
	}
}

func hold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold FOLDER")
	}
	ctx := context.Background() // the lock is held as long as the script runs
	st, err := store.Open(ctx, ts.MkAbs(args[0]), store.Options{})
	ts.Check(err)
	owner := journal.ThisProcess("the night shift")
	owner.Run = "another"
	lock, err := journal.Acquire(ctx, st, journal.LockOptions{Owner: owner})
	ts.Check(err)
	ts.Defer(func() {
		ts.Check(errors.Join(lock.Release(ctx, false), st.Close()))
	})
}

func touch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: touch FILE")
	}
	st, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	before := st.ModTime().Add(-time.Hour)
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), before, before))
}

func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: truncate FILE SIZE")
	}
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}
