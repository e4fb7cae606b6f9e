// Command packaging makes the files of a release from a clone of the repository: static
// programs in archives, packages for Debian and Red Hat, a container image, wheels, a
// formula, a recipe, and for all of these the licences, the bill of materials and checksums.
//
//	go run . -source .. -out ../dist -python PYTHON
//
// The files depend only on the commit, the version of Go, and the versions in go.sum and
// python/requirements.txt. All times in them are that of the commit. Nothing is published.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	source := flag.String("source", "..", "the `FOLDER` of the repository; what is not committed is left out")
	out := flag.String("out", "../dist", "the `FOLDER` of the files, which is made anew")
	python := flag.String("python", "", "a `PYTHON` with hatchling, for wheels; without it, there are none")
	only := flag.String("only", "", "make files for these `PLATFORMS` alone, such as linux/amd64,linux/arm64")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := release(ctx, os.Stdout, *source, *out, *python, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

// release makes all files of a release. It says on told what it does.
func release(ctx context.Context, told io.Writer, source, out, python, only string) error {
	work, err := os.MkdirTemp("", "zmigrate-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // a temporary folder
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	r, err := cloned(ctx, source, filepath.Join(work, "source"))
	if err != nil {
		return err
	}
	r.out, r.work = out, work
	if python == "" {
		_, _ = fmt.Fprintln(told, "no -python: there will be no wheels")
	}
	r.platforms = platforms()
	if only != "" {
		r.platforms = nil
		for name := range strings.SplitSeq(only, ",") {
			system, arch, ok := strings.Cut(name, "/")
			if !ok {
				return fmt.Errorf("-only %s: want SYSTEM/ARCH", name)
			}
			r.platforms = append(r.platforms, platform{system, arch})
		}
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"programs", r.build},
		{"licences", r.collectNotices},
		{"completions and manual pages", r.document},
		{"source", r.archiveSource},
		{"archives", r.archives},
		{"bills of materials", r.billsOfMaterials},
		{"packages", r.packages},
		{"image", r.image},
		{"wheels", func(ctx context.Context) error { return r.wheels(ctx, python) }},
		{"formula and recipe", r.recipes},
		{"checksums", r.checksums},
	} {
		_, _ = fmt.Fprintln(told, step.name)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}
