package arrow

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// nullKey is the value that stands for a null.
const nullKey = "__HIVE_DEFAULT_PARTITION__"

// withKeys returns a file with the keys in the folders of its path. It skips the first
// parts of the path, up to above.
func withKeys(url string, above int) File {
	file, all := File{URL: url}, parts(url)
	if len(all) <= above {
		return file
	}
	for _, folder := range all[above : len(all)-1] {
		if strings.Contains(url, "://") {
			folder = unescaped(folder) // as in every part of a URL; a key has escapes of its own
		}
		name, value, ok := strings.Cut(folder, "=")
		if !ok || name == "" {
			continue
		}
		key := Key{unescaped(name), unescaped(value)}
		same := func(k Key) bool { return k.Name == key.Name }
		file.Keys = append(slices.DeleteFunc(file.Keys, same), key)
	}
	return file
}

// unescaped decodes the escapes that writers use for characters that no path can have.
func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// keyTypes returns the data type of each key: int64 if every value is a whole number,
// else string.
func keyTypes(files []File) map[string]dtype.Type {
	types := map[string]dtype.Type{}
	for _, f := range files {
		for _, k := range f.Keys {
			_, err := strconv.ParseInt(k.Value, 10, 64)
			switch whole := err == nil || k.Value == nullKey; {
			case !whole:
				types[k.Name] = dtype.StringType
			case types[k.Name] == nil:
				types[k.Name] = dtype.Int64
			}
		}
	}
	return types
}

// openKey returns the array of a key.
func (f *hierarchy) openKey(k Key) (sources.Array, error) {
	if k.Name == "" || strings.Contains(k.Name, "/") {
		return nil, fmt.Errorf("%s: an array needs a name without slashes: rename the folders of %q", f.url, k.Name)
	}
	rows := 0
	for _, n := range f.table.batches() {
		if rows += n; rows < 0 {
			return nil, fmt.Errorf("%s: too many rows", f.url)
		}
	}
	t := f.source.keys[k.Name]
	if _, ok := ndarray.Bytes(t, []int{rows}); !ok {
		return nil, fmt.Errorf("%s: column %q, which a folder's name gives: %d rows are too many for any file", f.url, k.Name, rows)
	}
	a := &constant{info: &sources.Info{Path: k.Name, Type: t, Shape: []int{rows}, DimensionNames: []string{f.rows}}}
	var err error
	switch {
	case k.Value == nullKey:
		a.value, err = f.nullValue(k.Name, t)
	case t == dtype.Int64:
		n, _ := strconv.ParseInt(k.Value, 10, 64) // keyTypes has parsed it before
		a.value = binary.NativeEndian.AppendUint64(nil, uint64(n))
	default:
		a.value = dtype.Scalar(k.Value)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: column %q, which a folder's name gives: %w", f.url, k.Name, err)
	}
	return a, nil
}

// nullValue returns the value that replaces a null key.
func (f *hierarchy) nullValue(path string, t dtype.Type) (value dtype.Scalar, err error) {
	if f.null != nil {
		value, err = f.null(path, t)
	}
	if err == nil && value == nil {
		err = errors.New("it is null: give the array a fill_value, which takes the place of nulls")
	}
	return value, err
}

// constant is an array whose elements are all equal.
type constant struct {
	info  *sources.Info
	value dtype.Scalar
}

func (c *constant) Info() *sources.Info { return c.info }

// ReadRegion implements [sources.Array].
func (c *constant) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(c.info, dst, start); err != nil {
		return err
	}
	ndarray.Fill(dst, c.value)
	return ctx.Err()
}

// ShareInfo implements [sources.Shared].
func (c *constant) ShareInfo(s *sources.Infos) { c.info = s.Share(c.info) }

// parts returns the parts of the path of a URL, except empty ones and ".".
func parts(url string) []string {
	name, _, _ := strings.Cut(url, "?")
	return slices.DeleteFunc(strings.Split(filepath.ToSlash(name), "/"), func(part string) bool { return part == "" || part == "." })
}
