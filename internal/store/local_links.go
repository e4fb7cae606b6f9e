package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// linkChecker keeps what is written inside of a root: a symbolic link below it that leads
// out is not followed. The root may be a link itself.
type linkChecker struct {
	root  string
	known map[string]bool // folders that were found to be inside, or not there yet
}

// mostKnown bounds the folders that are remembered.
const mostKnown = 4096

// check fails where something on the way from the root to a folder below it is a link
// that leads out of the root, or to nothing.
func (w *linkChecker) check(dir string) error {
	if dir == w.root || w.known[dir] || len(dir) < len(w.root) {
		return nil
	}
	if err := w.check(filepath.Dir(dir)); err != nil {
		return err
	}
	if st, err := os.Lstat(dir); err == nil && st.Mode().Type()&fs.ModeSymlink != 0 {
		if err := w.follow(dir); err != nil {
			return err
		}
	}
	if len(w.known) >= mostKnown {
		clear(w.known)
	}
	w.known[dir] = true
	return nil
}

// follow fails where a link leads out of the root.
func (w *linkChecker) follow(link string) error {
	root, err := filepath.EvalSymlinks(w.root)
	if err != nil {
		return err
	}
	to, err := filepath.EvalSymlinks(link)
	if err != nil {
		return linkError(link, "to nothing that can be found")
	}
	if rel, err := filepath.Rel(root, to); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return linkError(link, "out of it, to "+to)
	}
	return nil
}

// noLink fails where a name is that of a link.
func noLink(name string) error {
	if st, err := os.Lstat(name); err == nil && st.Mode().Type()&fs.ModeSymlink != 0 {
		return linkError(name, "elsewhere")
	}
	return nil
}

func linkError(link, where string) error {
	return fmt.Errorf("%s is a symbolic link inside the folder that leads %s: nothing is written or removed through it; remove the link, or put what it leads to in its place", link, where)
}
