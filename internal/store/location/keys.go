package location

import (
	"fmt"
	"io/fs"
	"regexp"
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

func checkAzureKey(key string) error {
	if i := strings.IndexAny(key, "\"#%?\\"); i >= 0 {
		return fmt.Errorf("key %q has the character %q, which is not accepted in Azure: %w", key, key[i], fs.ErrInvalid)
	}
	for part := range strings.SplitSeq(key, "/") {
		if strings.HasSuffix(part, ".") {
			return fmt.Errorf("key %q has a part that ends with a dot, which Azure drops: %w", key, fs.ErrInvalid)
		}
	}
	return nil
}

// reservedOnWindows matches names that Windows takes for devices, also with an ending such as .txt.
var reservedOnWindows = regexp.MustCompile(`^(?i)(CON|PRN|AUX|NUL|(COM|LPT)[0-9\x{b9}\x{b2}\x{b3}]) *(\.|$)`)

// checkWindowsKey refuses the keys that are no paths of Windows ("Naming Files, Paths, and Namespaces", Microsoft Learn).
func checkWindowsKey(key string) error {
	if i := strings.IndexAny(key, `<>:"|?*\`); i >= 0 {
		return fmt.Errorf("key %q has the character %q, which no file of Windows may have in its name: %w", key, key[i], fs.ErrInvalid)
	}
	for part := range strings.SplitSeq(key, "/") {
		switch {
		case strings.HasSuffix(part, "."), strings.HasSuffix(part, " "):
			return fmt.Errorf("key %q has the part %q, whose last character Windows drops: %w", key, part, fs.ErrInvalid)
		case reservedOnWindows.MatchString(part):
			return fmt.Errorf("key %q has the part %q, which is the name of a device of Windows: %w", key, part, fs.ErrInvalid)
		}
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
