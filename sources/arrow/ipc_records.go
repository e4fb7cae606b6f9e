package arrow

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
)

// ipcTable implements [table] for an IPC file or stream.
type ipcTable struct {
	file         *sources.OpenFile
	bytes        binary.ByteOrder // of the content of buffers
	schema       *ipc.Schema
	list         []*column
	fields       []*node // the fields of schema.Fields
	unknown      *ipc.Field
	data         []record
	dictionaries map[int64][]record // batches of each dictionary, in the order of the file
	stream       bool               // in a stream, a batch refers only to the dictionary batches before it
	resident     *sources.Resident  // counts the parts of counted; nil: they are not counted

	mu      sync.Mutex
	counted map[string]*lists             // what lists found, by the places of the lists; guarded by mu
	values  map[dictionaryKey]*dictionary // dictionaries that are kept; guarded by mu
	kept    int                           // bytes of their items of variable size; guarded by mu
}

// record is a batch of records or of a dictionary.
type record struct {
	*ipc.Batch
	body  int64 // where its body begins
	delta bool  // the values are added to those of earlier dictionary batches
}

// messageLength parses the first 8 bytes of a message. It returns the length of the prefix
// and of the metadata after the prefix. At the end of a stream, the length of the metadata
// is 0.
func messageLength(head []byte) (prefix, length int) {
	first := binary.LittleEndian.Uint32(head)
	if first == 0xffffffff {
		return 8, int(int32(binary.LittleEndian.Uint32(head[4:])))
	}
	return 4, int(int32(first))
}

// mayHoldNulls looks at a field and the fields below it. It does not look at the values
// of a dictionary, whose nulls are found when they are read.
func (r *record) mayHoldNulls(n *node) bool {
	switch {
	case n.index >= len(r.Nodes) || r.Nodes[n.index].Nulls != 0:
		return true
	case n.kind == kindDictionary:
		return false
	default:
		return slices.ContainsFunc(n.children, r.mayHoldNulls)
	}
}

// mostRatio is more than the ratio of any block of zstd or LZ4: a run of 128 KiB in 4
// bytes.
const mostRatio = 1 << 15

// dictionaryKey identifies a dictionary in its state after a number of its batches.
type dictionaryKey struct {
	id      int64
	batches int
	values  dtype.Type
}

// dictionary is the values for which indices stand.
type dictionary struct {
	items [][]byte // elements, one after the other
	null  []bool   // which items are null
	size  int      // bytes of items of variable size
}

// ipcRows implements [rows].
type ipcRows struct {
	table  *ipcTable
	record *record
	node   *node
	at     int            // the next row, without parts
	parts  []part         // the next rows, if they do not follow each other
	plain  map[int][]byte // decompressed buffers
	tally  *ndarray.Tally // counts the memory for elements of variable size
	looked *dictionary    // the dictionary that was used last; nil: none
	key    dictionaryKey  // its key
}

// ipcReader implements [reader].
type ipcReader struct {
	table  *ipcTable
	node   *node
	column *column
	lists  *lists // nil: the column is not within a list of varying length
}

// mostGathered bounds the values that are read at once and of which some are taken.
const mostGathered = 1 << 16

// keptDictionaries bounds the bytes of dictionaries, of elements of variable size, that
// are kept for later reads.
const keptDictionaries = 4 << 20

// keep keeps a dictionary of elements of variable size for later reads, if it is not
// too large.
func (t *ipcTable) keep(key dictionaryKey, d *dictionary) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.values[key] == nil && t.kept+d.size <= keptDictionaries {
		t.kept += d.size
		t.values[key] = d
	}
}

// order implements [table].
func (t *ipcTable) order() dtype.Order {
	if t.schema.BigEndian {
		return dtype.Big
	}
	return dtype.Little
}

// batches implements [table].
func (t *ipcTable) batches() []int {
	list := make([]int, len(t.data))
	for i, r := range t.data {
		list[i] = r.Rows
	}
	return list
}
