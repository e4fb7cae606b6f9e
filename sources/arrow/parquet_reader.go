package arrow

import (
	"fmt"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

// parquetTable implements [table] for a Parquet file.
type parquetTable struct {
	file  *sources.OpenFile
	tree  *parquet.File
	list  []*column
	pairs arrow.Metadata
	// stored returns the storedSchema of tree. It is called only for details.
	stored func() map[string]ipc.Field

	mu      sync.Mutex
	counted map[leafLists]*lists // what countLists found; guarded by mu
}

// parquetReader implements [reader] for one column.
type parquetReader struct {
	table   *parquetTable
	column  *column
	leaf    *leaf
	width   int     // bytes of a decoded value, 0 if they vary
	size    int     // bytes of an element
	convert convert // nil: values are elements
	decimal bool    // values are decimals
	// below[r] is the number of elements in an item of the list of fixed size at repetition
	// level r, without the lists of varying length around it. below[0] is that of a row, or of
	// an element of the innermost list of varying length.
	below []int
	// row is this repetition level of each element of such a row.
	row []uint8
	// missing[d] is the number of elements, all null, for which an entry of definition
	// level d stands; 0 for an empty list.
	missing []int
}

// parquetRows implements [rows] for a column of a row group.
type parquetRows struct {
	*parquetReader
	pages    *parquet.Reader
	def, rep [1024]uint32  // levels of entries that were read
	from, to int           // the part of them whose values are not read yet
	place    int           // place of the next element in its row
	digits   decimals      // for decimals
	scratch  []byte        // memory for values that are converted
	valid    ndarray.Array // memory for values between nulls; without data until it is needed
}

// convertBytes is how many bytes of values are converted at once.
const convertBytes = 16 << 10

// convert turns all values in from into elements.
type convert func(to, from []byte) error

// presentWords is the number of 64-bit words in which entries are marked as values or
// nulls at once.
const presentWords = 16

// aheadBytes is how many bytes of a column are read at once from a local file. From a
// remote file more are read, because a request costs more.
const aheadBytes = 1 << 20

// ahead returns how many bytes of a column are read at once.
func (t *parquetTable) ahead() int { return max(aheadBytes, 32*t.file.Store.GapBytes()) }

// readable returns an error if a chunk of a column cannot be read.
func (t *parquetTable) readable(leaf int) error {
	for i := range t.tree.Groups {
		if err := t.tree.Groups[i].Chunks[leaf].Readable(); err != nil {
			return fmt.Errorf("row group %d: %w", i, err)
		}
	}
	return nil
}

// batches implements [table].
func (t *parquetTable) batches() []int {
	list := make([]int, len(t.tree.Groups))
	for i, g := range t.tree.Groups {
		list[i] = g.Rows
	}
	return list
}

// leafLists identifies the lists of a leaf that have a number of lists around them.
type leafLists struct{ leaf, depth int }
