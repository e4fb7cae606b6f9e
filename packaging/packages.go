package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers itself
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers itself
)

// unitHeader takes the place of the comment in a unit that says how to install it by hand.
const unitHeader = `# One migration for each job file: zmigrate@nightly.service runs /etc/zmigrate/nightly.yaml, and
# zmigrate@.timer starts it every night:
#
#   systemctl enable --now zmigrate@nightly.timer
#
# Change what depends on your machine with ` + "`systemctl edit zmigrate@nightly.service`" + `. The file
# /usr/share/doc/zmigrate/examples/folder.conf runs all job files of a folder.

`

// packages makes packages for Debian and Red Hat.
func (r *making) packages(context.Context) error {
	for _, p := range r.platforms {
		if p.system != "linux" {
			continue
		}
		for _, format := range []string{"deb", "rpm"} {
			if err := r.packageOf(p, format); err != nil {
				return err
			}
		}
	}
	return nil
}

// packageOf makes a package of a format.
func (r *making) packageOf(p platform, format string) error {
	var list []file
	add := func(name string, text []byte, mode int64) {
		list = append(list, file{name: name, text: text, mode: mode})
	}
	addFile := func(name, from string, mode int64) error {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".gz") {
			if text, err = gzipped(text); err != nil {
				return err
			}
		}
		if strings.Contains(from, "systemd") {
			text = bytes.ReplaceAll(text, []byte("/usr/local/bin/"), []byte("/usr/bin/"))
			if strings.HasSuffix(name, ".service") {
				_, rest, _ := bytes.Cut(text, []byte("\n\n"))
				text = append([]byte(unitHeader), rest...)
			}
		}
		add(name, text, mode)
		return nil
	}
	here := filepath.Join(r.source, "packaging", "files")
	units := filepath.Join(r.source, "examples", "systemd")
	err := errors.Join(
		addFile("/usr/bin/zmigrate", r.programs[p], 0o755),
		addFile("/usr/lib/systemd/system/zmigrate@.service", filepath.Join(units, "zmigrate@.service"), 0o644),
		addFile("/usr/lib/systemd/system/zmigrate@.timer", filepath.Join(units, "zmigrate@.timer"), 0o644),
		addFile("/usr/share/doc/zmigrate/examples/folder.conf", filepath.Join(units, "folder.conf"), 0o644),
		addFile("/usr/lib/sysusers.d/zmigrate.conf", filepath.Join(here, "sysusers.conf"), 0o644),
		addFile("/usr/share/doc/zmigrate/README.md", filepath.Join(r.source, "README.md"), 0o644),
	)
	if err != nil {
		return err
	}
	for _, page := range r.pages {
		if err := addFile("/usr/share/man/man1/"+filepath.Base(page)+".gz", page, 0o644); err != nil {
			return err
		}
	}
	zsh := "/usr/share/zsh/vendor-completions/_zmigrate"
	if format == "rpm" {
		zsh = "/usr/share/zsh/site-functions/_zmigrate"
	}
	add("/usr/share/bash-completion/completions/zmigrate", []byte(r.scripts["zmigrate.bash"]), 0o644)
	add(zsh, []byte(r.scripts["_zmigrate"]), 0o644)
	add("/usr/share/fish/vendor_completions.d/zmigrate.fish", []byte(r.scripts["zmigrate.fish"]), 0o644)
	licence, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return err
	}
	add("/usr/share/doc/zmigrate/copyright", []byte("zmigrate is licensed as follows:\n\n"+string(licence)+"\n"+r.notices), 0o644)

	// The packager reads files.
	folder, err := os.MkdirTemp(r.work, format)
	if err != nil {
		return err
	}
	info := &nfpm.Info{
		Name: "zmigrate", Arch: p.arch, Platform: "linux", Version: r.version, Section: "science", Priority: "optional",
		Maintainer: "The zmigrate authors <zmigrate@users.noreply.github.com>", Vendor: "zmigrate", License: "Apache-2.0",
		Homepage:    "https://github.com/zmigrate/zmigrate",
		Description: "moves scientific data to Zarr v3\nReads raw binary, NetCDF, HDF5, Arrow, Parquet and Zarr, and writes Zarr v3\nto a local folder or an object store. A job file says what to do.",
		MTime:       r.time, DisableGlobbing: true,
		Overridables: nfpm.Overridables{Scripts: nfpm.Scripts{
			PostInstall: filepath.Join(here, "postinstall.sh"), PostRemove: filepath.Join(here, "postremove.sh"),
		}},
	}
	info.RPM.BuildHost = "localhost"
	for _, f := range sorted(list) {
		name := filepath.Join(folder, strings.ReplaceAll(f.name, "/", "_"))
		if err := os.WriteFile(name, f.text, 0o644); err != nil {
			return err
		}
		info.Contents = append(info.Contents, &files.Content{Source: name, Destination: f.name, FileInfo: &files.ContentFileInfo{Mode: os.FileMode(f.mode), MTime: r.time}})
	}
	info.Contents = append(info.Contents, &files.Content{Destination: "/etc/zmigrate", Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: r.time}})
	info = nfpm.WithDefaults(info) // divides the version into its parts
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := packager.Package(info, &out); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, r.name()+"_linux_"+p.arch+"."+format), out.Bytes(), 0o644)
}
