package location

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckKey refuses keys that not every store keeps unchanged.
func CheckKey(key string) error {
	if key == "" {
		return fmt.Errorf("empty key: %w", fs.ErrInvalid)
	}
	for part := range strings.SplitSeq(key, "/") {
		switch part {
		case "":
			return fmt.Errorf("key %q has an empty part: %w", key, fs.ErrInvalid)
		case ".", "..":
			return fmt.Errorf("key %q has a part %q: %w", key, part, fs.ErrInvalid)
		}
	}
	return checkText(key)
}

func checkText(key string) error {
	if !utf8.ValidString(key) {
		return fmt.Errorf("key %q is not UTF-8 text: %w", key, fs.ErrInvalid)
	}
	if i := strings.IndexFunc(key, unicode.IsControl); i >= 0 {
		return fmt.Errorf("key %q has a control character at byte %d: %w", key, i, fs.ErrInvalid)
	}
	return nil
}

// FolderName returns the name of the folder, below the prefix, that holds a key or that
// the key stands for. It is "" for an object directly below the prefix.
func FolderName(prefix, key string) string {
	name, _, inside := strings.Cut(strings.TrimPrefix(key, prefix), "/")
	if !inside || CheckKey(prefix+name) != nil {
		return "" // or a name that is no key
	}
	return name
}
