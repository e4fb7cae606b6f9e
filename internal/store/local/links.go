package local

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// linkChecker makes sure that nothing is written outside a root: it refuses symbolic
// links below the root that lead out of it. The root itself may be a link.
type linkChecker struct {
	root  string
	known map[string]bool // folders that are known to be inside, or not to exist yet
}

// mostKnown bounds the number of folders in known.
const mostKnown = 4096

// check fails if the path from the root to dir has a link that leads out of the root, or
// to nothing.
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

// follow fails if a link leads out of the root, or to nothing.
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

// noLink fails if name is a symbolic link.
func noLink(name string) error {
	if st, err := os.Lstat(name); err == nil && st.Mode().Type()&fs.ModeSymlink != 0 {
		return linkError(name, "elsewhere")
	}
	return nil
}

func linkError(link, where string) error {
	return fmt.Errorf("%s is a symbolic link inside the folder that leads %s: nothing is written or removed through it; remove the link, or put what it leads to in its place", link, where)
}
