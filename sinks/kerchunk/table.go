package kerchunk

import "encoding/json"

// Chunk says where the bytes of a chunk are.
type Chunk struct {
	Number int    // in the grid of its array, in C order
	Key    string // below the array, such as "0.3"
	// URL is that of the file as fsspec reads it; "": the bytes are Inline. Offset and Length
	// say which bytes of the file are the chunk. A Length of 0 is not a chunk.
	URL            string
	Offset, Length int64
	Inline         []byte // borrowed until the next array begins
	// Unstored says that the chunk is in no file. Inline is then an encoded chunk of nothing but
	// the fill value, the same for all chunks of the array, or nil if that is too large.
	Unstored bool
}

// Table is a table of references that is being written. It serves one goroutine. After an
// error, it is of no more use.
type Table interface {
	// Document adds a document of the hierarchy, which is JSON, by its key. The text belongs to
	// the table from then on.
	Document(key string, text json.RawMessage) error
	// Array begins the chunks of the array at a path, which has that many chunks, stored or not.
	Array(path string, chunks int) error
	// Chunk adds a chunk of the array that was begun last. Chunks come in the order of their
	// numbers. A chunk that is not added, or is added as Unstored, holds the fill value.
	Chunk(c Chunk) error
	// Close writes what is left. The table is complete then, but whoever made it makes it appear.
	Close() error
}
