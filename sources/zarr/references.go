package zarr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr/internal/kerchunk"
	"github.com/zmigrate/zmigrate/zarr"
)

// isTable reports whether there is a file at a URL that may be a table in JSON.
func isTable(ctx context.Context, url string, opt Options) bool {
	first, found := sources.Beginning(ctx, url, opt.Store)
	if found && kerchunk.Compressed(first) {
		first, found = sources.BeginningOf(ctx, url, kerchunk.Beginning, opt.Store)
	}
	return found && kerchunk.Begins(first)
}

// namesTable reports whether a name is that of a table in JSON.
func namesTable(name string) bool {
	for _, ending := range []string{".json", ".json.gz", ".json.zst", ".json.zstd"} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

// jsonTable returns the URL of the table in JSON that is at a URL, or above it, by the names. The
// rest of the path is a folder in the table. ok is false if no name is that of a table.
func jsonTable(url string) (table, inside string, ok bool) {
	name, query, hasQuery := strings.Cut(url, "?")
	if store.Local(url) {
		name, query, hasQuery = url, "", false
	}
	end := 0
	for part := range strings.SplitSeq(name, "/") {
		if end += len(part); namesTable(part) {
			table, inside = name[:end], strings.Trim(name[end:], "/")
			if hasQuery {
				table += "?" + query
			}
			return table, inside, true
		}
		end++
	}
	return "", "", false
}

// referToJSON makes the source read a table in JSON, or a folder of it.
func (s *source) referToJSON(ctx context.Context, table, inside string) error {
	r := newReferred(table, s.options)
	f, err := r.own(ctx, table)
	if err == nil {
		var bytes int
		r.table, bytes, err = kerchunk.ParseJSON(&fileReader{ctx: ctx, file: f})
		if err != nil {
			err = notATable(f.URL, err)
		}
		s.options.Resident.Keep(bytes)
	}
	if err != nil {
		return errors.Join(err, r.close())
	}
	r.table = kerchunk.Inside(r.table, inside)
	return s.refer(r)
}

// referToParquet makes the source read a table in Parquet, whose .zmetadata has been read. It
// returns the documents that this document holds.
func (s *source) referToParquet(ctx context.Context, document []byte, size int) (map[string]json.RawMessage, error) {
	r := newReferred(s.url, s.options)
	documents, err := kerchunk.Documents(document)
	if err == nil {
		var at string
		if at, err = store.Folder(s.url, zarr.ConsolidatedKeyV2); err == nil {
			_, err = r.own(ctx, at)
		}
	}
	if err == nil {
		records := s.options.Resident.Share(keptRecords) / s.many
		s.options.Resident.Keep(records)
		r.table, err = kerchunk.Parquet(documents, size, records, func(ctx context.Context, key string) ([]byte, error) {
			at, err := store.Folder(s.url, key)
			if err != nil {
				return nil, err
			}
			f, err := r.own(ctx, at)
			if err != nil {
				return nil, err
			}
			if f.Size > mostRecordFile {
				return nil, fmt.Errorf("%s: %w: %d bytes", f.URL, store.ErrTooLarge, f.Size)
			}
			data := make([]byte, f.Size)
			return data, f.Store.ReadRange(ctx, f.Key, data, 0)
		})
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	plain := s.store
	if err := s.refer(r); err != nil {
		return nil, err
	}
	return documents, plain.Close()
}

const (
	// mostRecordFile bounds a Parquet file of references.
	mostRecordFile = 64 << 20
	// keptRecords bounds the memory for the references in Parquet that were used last.
	keptRecords = 64 << 20
)

// refer makes the source read the objects of a table.
func (s *source) refer(r *referred) error {
	st, err := store.OpenReferences(s.url, r.table, r, s.options.Store)
	if err != nil {
		return errors.Join(err, r.close())
	}
	s.setStore(st)
	kept := s.options.Resident.Share(keptTogether) / s.many
	s.referred, s.together = r, newTogether(r, kept)
	s.options.Resident.Keep(kept)
	return nil
}

// fileReader reads a file from its beginning to its end.
type fileReader struct {
	ctx    context.Context //nolint:containedctx // it lives as long as the call that reads
	file   *sources.OpenFile
	at     int64
	window []byte
}

// Read implements [io.Reader].
func (r *fileReader) Read(p []byte) (int, error) {
	if len(r.window) == 0 {
		n := min(1<<20, r.file.Size-r.at)
		if n == 0 {
			return 0, io.EOF
		}
		window := make([]byte, n)
		if err := r.file.Store.ReadRange(r.ctx, r.file.Key, window, r.at); err != nil {
			return 0, err
		}
		r.window, r.at = window, r.at+n
	}
	n := copy(p, r.window)
	r.window = r.window[n:]
	return n, nil
}

// notATable returns the error about a JSON file that cannot be read as a table of references.
func notATable(url string, err error) error {
	base := path.Base(url)
	if errors.Is(err, kerchunk.ErrNoTable) && (base == zarr.MetadataKey || strings.HasPrefix(base, ".z")) {
		return fmt.Errorf("%s: %w: it is a document of a Zarr hierarchy: name its folder", url, err)
	}
	return fmt.Errorf("%s: %w", url, err)
}
