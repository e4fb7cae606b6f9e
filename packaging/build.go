package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// platform is an operating system and a processor, as Go names them.
type platform struct{ system, arch string }

func (p platform) String() string { return p.system + "/" + p.arch }

// program is the file name of the program.
func (p platform) program() string {
	if p.system == "windows" {
		return "zmigrate.exe"
	}
	return "zmigrate"
}

func platforms() []platform {
	return []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}
}

// making is a release in the making.
type making struct {
	source    string // a clone of the repository
	work, out string
	platforms []platform

	commit   string
	time     time.Time           // of the commit
	version  string              // as Go spells it: v1.2.3, or v0.0.0-TIME-COMMIT between releases
	programs map[platform]string // the files
	modules  map[platform][]module
	notices  string   // the licences of all modules, as one text
	pages    []string // the files of manual pages
	scripts  map[string]string
}

// cloned clones the commit that is checked out in a repository into a folder. So files that are
// not committed have no influence, and Go finds out the version.
func cloned(ctx context.Context, repository, folder string) (*making, error) {
	commit, err := run(ctx, repository, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	at, err := run(ctx, repository, nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return nil, err
	}
	if repository, err = filepath.Abs(repository); err != nil {
		return nil, err
	}
	if _, err := run(ctx, ".", nil, "git", "clone", "--quiet", "--shared", repository, folder); err != nil {
		return nil, err
	}
	if _, err := run(ctx, folder, nil, "git", "checkout", "--quiet", "--detach", commit); err != nil {
		return nil, err
	}
	return &making{
		source: folder, commit: commit, time: time.Unix(seconds, 0).UTC(),
		programs: map[platform]string{}, modules: map[platform][]module{}, scripts: map[string]string{},
	}, nil
}

// goEnvironment is the environment of the go command. It leaves out all settings of the user that
// change the program.
func goEnvironment(p platform) []string {
	return append(os.Environ(), "GOOS="+p.system, "GOARCH="+p.arch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=")
}

// build builds the program for each platform, and for this machine.
func (r *making) build(ctx context.Context) error {
	here := platform{runtime.GOOS, runtime.GOARCH}
	for _, p := range append([]platform{here}, r.platforms...) {
		if r.programs[p] != "" {
			continue
		}
		name := filepath.Join(r.work, p.system+"_"+p.arch, p.program())
		flags := "-s -w"
		if p == (platform{"linux", "amd64"}) {
			flags += " -E main.start" // see cmd/zmigrate/start_linux_amd64.go
		}
		if _, err := run(ctx, r.source, goEnvironment(p), "go", "build", "-trimpath", "-buildvcs=true", "-tags", "urfave_cli_no_docs,tinygo", "-ldflags", flags, "-o", name, "./cmd/zmigrate"); err != nil {
			return err
		}
		r.programs[p] = name
	}
	info, err := buildinfo.ReadFile(r.programs[here])
	if err != nil {
		return err
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if r.version = info.Main.Version; !strings.HasPrefix(r.version, "v") || settings["vcs.revision"] != r.commit || settings["vcs.modified"] != "false" {
		return fmt.Errorf("the program has version %q and commit %q, want a version and %s", r.version, settings["vcs.revision"], r.commit)
	}
	return nil
}

// name is the beginning of file names: zmigrate_1.2.3.
func (r *making) name() string { return "zmigrate_" + strings.TrimPrefix(r.version, "v") }

// run calls a command in a folder and returns what it has printed. A nil environment is that of
// this process.
func run(ctx context.Context, folder string, environment []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = folder, environment
	out, err := c.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(bytes.TrimSpace(out)), nil
}
