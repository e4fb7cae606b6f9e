package zarr

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// KeyEncoding says how a chunk's index is written as its key below the array. Zarr v3
// core, "Chunk key encoding". The zero value is the default encoding with its default
// separator.
type KeyEncoding struct {
	Name      string // "default" or "v2"; "": default
	Separator string // "/" or "."; "": "/" for default, "." for v2
}

// full replaces zero values of the encoding by the values for which they stand.
func (k KeyEncoding) full() KeyEncoding {
	if k.Name == "" {
		k.Name = "default"
	}
	if k.Separator == "" {
		k.Separator = "/"
		if k.Name == "v2" {
			k.Separator = "."
		}
	}
	return k
}

// Key returns the key of a chunk: "c/0/1" by default, and "c" for a 0-D array. In the
// encoding v2, it is "0.1", and "0" for a 0-D array.
func (k KeyEncoding) Key(index []int) string {
	k = k.full()
	var key []byte
	if k.Name != "v2" {
		key = append(key, 'c')
	} else if len(index) == 0 {
		return "0"
	}
	for i, n := range index {
		if i > 0 || k.Name != "v2" {
			key = append(key, k.Separator...)
		}
		key = strconv.AppendInt(key, int64(n), 10)
	}
	return string(key)
}

// ParseKey is the inverse of Key for the default encoding.
func ParseKey(key string) ([]int, bool) { return KeyEncoding{}.Parse(key) }

// Parse is the inverse of Key: it returns the index of the chunk with this key below
// its array. It returns false if no chunk has the key. In the encoding v2, the chunk of
// a 0-D array and the first chunk of a 1-D array have the same key; Parse returns the
// index of the chunk of the 1-D array.
func (k KeyEncoding) Parse(key string) ([]int, bool) {
	k = k.full()
	rest := key
	if k.Name != "v2" {
		if key == "c" {
			return []int{}, true
		}
		rest = strings.TrimPrefix(key, "c"+k.Separator)
	}
	var index []int
	for digits := range strings.SplitSeq(rest, k.Separator) {
		n, err := strconv.Atoi(digits)
		if err != nil || n < 0 {
			return nil, false
		}
		index = append(index, n)
	}
	return index, k.Key(index) == key // refuses "c/01"
}

// named returns the encoding as it is written in metadata.
func (k KeyEncoding) named() named {
	k = k.full()
	return named{k.Name, json.RawMessage(`{"separator":"` + k.Separator + `"}`)}
}

// parseKeys reads a chunk_key_encoding field.
func parseKeys(text json.RawMessage) (KeyEncoding, error) {
	name, configuration, err := extension(text)
	if err != nil {
		return KeyEncoding{}, err
	}
	if name != "default" && name != "v2" {
		return KeyEncoding{}, unknownExtension(fmt.Sprintf("%.60q is not known, want default or v2", name))
	}
	k := KeyEncoding{Name: name}
	fields, err := members(configuration, "separator")
	if err != nil {
		return KeyEncoding{}, err
	}
	if text, ok := fields["separator"]; ok {
		if err := json.Unmarshal(text, &k.Separator); err != nil || k.Separator != "/" && k.Separator != "." {
			return KeyEncoding{}, fmt.Errorf(`separator: %s, want "/" or "."`, shown(text))
		}
	}
	if k = k.full(); k == (KeyEncoding{}).full() {
		return KeyEncoding{}, nil
	}
	return k, nil
}
