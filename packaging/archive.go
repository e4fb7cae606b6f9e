package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// file is a file of an archive, or a folder if its name ends in a slash.
type file struct {
	name string
	text []byte
	mode int64
	user int // also the group
}

// document has the program of this machine write its manual pages and the scripts of shells.
func (r *making) document(ctx context.Context) error {
	program := r.programs[platform{runtime.GOOS, runtime.GOARCH}]
	pages := filepath.Join(r.work, "man1")
	if _, err := run(ctx, r.work, nil, program, "man", "--dir", pages); err != nil {
		return err
	}
	var err error
	if r.pages, err = filepath.Glob(filepath.Join(pages, "*.1")); err != nil {
		return err
	}
	if len(r.pages) == 0 {
		return errors.New("the program has written no manual pages")
	}
	for shell, name := range map[string]string{"bash": "zmigrate.bash", "zsh": "_zmigrate", "fish": "zmigrate.fish", "powershell": "zmigrate.ps1"} {
		if r.scripts[name], err = run(ctx, r.work, nil, program, "completion", shell); err != nil {
			return err
		}
		r.scripts[name] += "\n"
	}
	return nil
}

// common are the files of the archives for all platforms.
func (r *making) common() ([]file, error) {
	files := []file{{name: "THIRD-PARTY-NOTICES.txt", text: []byte(r.notices)}}
	for _, name := range []string{"README.md", "LICENSE"} {
		text, err := os.ReadFile(filepath.Join(r.source, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, text: text})
	}
	for _, page := range r.pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "man/man1/" + filepath.Base(page), text: text})
	}
	for name, text := range r.scripts {
		files = append(files, file{name: "completions/" + name, text: []byte(text)})
	}
	return files, nil
}

// archives makes an archive for each platform.
func (r *making) archives(context.Context) error {
	common, err := r.common()
	if err != nil {
		return err
	}
	for _, p := range r.platforms {
		program, err := os.ReadFile(r.programs[p])
		if err != nil {
			return err
		}
		folder := r.name() + "_" + p.system + "_" + p.arch
		files := []file{{name: folder + "/" + p.program(), text: program, mode: 0o755}}
		for _, f := range common {
			f.name = folder + "/" + f.name
			files = append(files, f)
		}
		name, text := folder+".tar.gz", []byte(nil)
		if p.system == "windows" {
			name = folder + ".zip"
			text, err = zipped(files, r.time)
		} else if text, err = tarred(files, r.time); err == nil {
			text, err = gzipped(text)
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// archiveSource makes an archive of the source, for those who build the program themselves.
func (r *making) archiveSource(ctx context.Context) error {
	name := filepath.Join(r.work, "source.tar")
	if _, err := run(ctx, r.source, nil, "git", "-c", "tar.umask=0022", "archive", "--format=tar", "--prefix="+r.name()+"/", "-o", name, r.commit); err != nil {
		return err
	}
	text, err := os.ReadFile(name)
	if err == nil {
		text, err = gzipped(text)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, r.name()+"_source.tar.gz"), text, 0o644)
}

// sorted returns files by their names, with the modes that they have by default.
func sorted(files []file) []file {
	files = slices.Clone(files)
	for i, f := range files {
		if f.mode == 0 {
			files[i].mode = 0o644
			if strings.HasSuffix(f.name, "/") {
				files[i].mode = 0o755
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files
}

// tarred returns a tar archive.
func tarred(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range sorted(files) {
		h := tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: at, Uid: f.user, Gid: f.user, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// gzipped compresses a text. The result has neither name nor time.
func gzipped(text []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// zipped returns a zip archive.
func zipped(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range sorted(files) {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(os.FileMode(f.mode))
		one, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := one.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// withFolders adds the folders that files lie in.
func withFolders(files []file) []file {
	had := map[string]bool{}
	for _, f := range files {
		had[f.name] = true
	}
	for _, f := range slices.Clone(files) {
		for dir := path.Dir(strings.TrimSuffix(f.name, "/")); dir != "."; dir = path.Dir(dir) {
			if !had[dir+"/"] {
				had[dir+"/"] = true
				files = append(files, file{name: dir + "/"})
			}
		}
	}
	return files
}

// checksums writes the checksums of all files, in the format of sha256sum.
func (r *making) checksums(context.Context) error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, e := range entries {
		sum, err := checksum(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(text.String()), 0o644)
}

// checksum returns the SHA-256 of a file in hexadecimal digits.
func checksum(name string) (string, error) {
	text, err := os.ReadFile(name)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}
