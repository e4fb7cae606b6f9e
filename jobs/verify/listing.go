package verify

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/zarr"
)

// listing compares a list of the target with the objects on record. In the ledger it marks the
// objects that are still to be read: Seen is set, and Bytes is not Nothing.
func (v *verification) listing(ctx context.Context) error {
	var err error
	if v.ledger, err = journal.NewLedger(v.record.journal.Objects(ctx)); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	var unknown []string // objects that are not on record
	v.nodes = map[string]bool{}
	err = v.target.List(ctx, "", func(o store.Info) error {
		e := v.ledger.Find(o.Key)
		switch {
		case path.Base(o.Key) == zarr.MetadataKey:
			v.nodes[parent(o.Key)] = true
		case e == nil:
			unknown = append(unknown, o.Key)
		case o.Size != e.Bytes:
			v.found.add(v.difference(Size, o.Key, sizeText(o.Size, e.Bytes)))
			e.Seen, e.Bytes = true, journal.Nothing // so that the object is not read
		default:
			e.Seen, e.Same = true, e.HasVersion(v.target.VersionOf(o))
			if v.opt.Level == Quick && !e.OfVersion(v.target.VersionOf(o)) {
				v.found.add(v.difference(Version, o.Key, "the object was written again since the migration, perhaps with the same bytes: --level stored reads it"))
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	for _, key := range unknown {
		if !v.ofAnother(key) {
			v.found.add(v.difference(Stray, key, "the job has not written such an object"))
		}
	}
	for o, err := range v.record.journal.Objects(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		v.result.Objects++
		if e := v.ledger.Find(o.Key); e != nil && !e.Seen {
			e.Seen, e.Bytes = true, journal.Nothing
			v.found.add(v.difference(Absent, o.Key, fmt.Sprintf("the object of %d bytes is not there: readers see the fill value", o.Bytes)))
		}
	}
	return nil
}

// ofAnother reports whether an object belongs to a node that another job, or another program,
// has put into the hierarchy.
func (v *verification) ofAnother(key string) bool {
	for at := parent(key); at != ""; at = parent(at) {
		if _, ours := v.record.arrays[at]; ours {
			return false
		}
		if v.nodes[at] {
			return !v.groupOfRecord(at)
		}
	}
	return false
}

// arrayOf returns the path of the array that an object belongs to, with the object's key
// below it. The array may be one that an earlier run of the job has made. ok is false if the
// key lies in no array.
func (v *verification) arrayOf(key string) (array, below string, ok bool) {
	for at := parent(key); ; at = parent(at) {
		if _, ours := v.record.arrays[at]; ours || v.nodes[at] {
			return at, strings.TrimPrefix(strings.TrimPrefix(key, at), "/"), true
		}
		if at == "" {
			return "", "", false
		}
	}
}

// groupOfRecord reports whether a node is a group above the arrays of the record.
func (v *verification) groupOfRecord(node string) bool {
	for i := range v.record.manifest.Arrays {
		if strings.HasPrefix(v.record.manifest.Arrays[i].Target, node+"/") {
			return true
		}
	}
	return false
}

// parent returns the path of the folder in which a key lies.
func parent(key string) string { return strings.TrimPrefix(path.Dir(key), ".") }

// difference describes an object that differs.
func (v *verification) difference(kind Kind, key, text string) Difference {
	d := Difference{Kind: kind, Key: key, Text: text}
	if array, below, ok := v.arrayOf(key); ok {
		d.Array, d.Chunk = array, chunkOf(below)
	}
	return d
}

// chunkOf returns the coordinates of a chunk from its key below its array, for all spellings
// of chunk keys. It returns nil if the key is not that of a chunk.
func chunkOf(below string) []int {
	for _, keys := range []zarr.KeyEncoding{{}, {Separator: "."}, {Name: "v2"}, {Name: "v2", Separator: "/"}} {
		if index, ok := keys.Parse(below); ok {
			return index
		}
	}
	return nil
}
