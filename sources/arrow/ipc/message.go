package ipc

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/codecs"
)

// ErrCorrupt is the cause of all errors about messages that contradict the
// specification.
var ErrCorrupt = codecs.Corrupt("the Arrow metadata is corrupt")

// Message is the metadata of a message. Its body follows it in the file.
type Message struct {
	Body int64 // bytes of the body
	// Old says that the writer was a release before Arrow 1.0, or wrote as such. Unions and
	// runs then have a validity buffer, as all other fields do.
	Old    bool
	Schema *Schema // of a schema message
	Batch  *Batch  // of record and dictionary batches
	// Dictionary says to which dictionary the values of a dictionary batch belong.
	Dictionary *Dictionary
}

// Dictionary identifies the dictionary of a dictionary batch, which has one column.
type Dictionary struct {
	ID    int64
	Delta bool // the values are added to earlier values; otherwise they replace them
}

// Batch tells where everything lies in the body of a record batch. Fields are in the
// order of the schema, each before the fields below it.
type Batch struct {
	Rows    int
	Nodes   []Node
	Buffers []Span
	Codec   Codec
	// Views is the number of data buffers of each field of views.
	Views []int
}

// Node is the length of a field and the number of its nulls.
type Node struct{ Length, Nulls int }

// Span is the place of a buffer in a body, in bytes. It does not reach beyond the end
// of the body.
type Span struct{ Offset, Length int64 }

// Codec is the compression of the buffers of a batch. Each buffer is compressed
// separately.
type Codec int

// The codecs of the specification.
const (
	Uncompressed Codec = iota
	LZ4Frame
	Zstd
)

// Footer is the end of an IPC file.
type Footer struct {
	Schema       *Schema
	Dictionaries []Block
	Batches      []Block
}

// Block is the place of a message in a file: its metadata, with the length in front,
// and then its body.
type Block struct {
	Offset   int64
	Metadata int
	Body     int64
}

// Numbers of the union MessageHeader in Message.fbs.
const (
	headerSchema = 1 + iota
	headerDictionary
	headerBatch
)

// oldest is the first metadata version whose buffers lie as they do today: V4 of Arrow
// 0.8.
const oldest = 3

func parse(data []byte) *buffer {
	return &buffer{data: data, tables: len(data)/4 + 1}
}

// current is the metadata version of Arrow 1.0, V5.
const current = 4

// ParseMessage reads the metadata of a message, without the length in front. A message
// that is neither a schema nor a batch is returned empty.
func ParseMessage(data []byte) (*Message, error) {
	b := parse(data)
	root := b.root()
	version := root.int16(0, 0)
	m := &Message{Body: root.int64(3), Old: version < current}
	header := root.table(2)
	var err error
	switch root.byte(1) {
	case headerSchema:
		m.Schema, err = parseSchema(header)
	case headerDictionary:
		m.Dictionary = &Dictionary{ID: header.int64(0), Delta: header.byte(2) != 0}
		m.Batch, err = parseBatch(header.table(1), m.Body)
	case headerBatch:
		m.Batch, err = parseBatch(header, m.Body)
	}
	if m.Batch != nil && m.Batch.Codec == Uncompressed && err == nil {
		m.Batch.Codec, err = earlyCodec(metadata(root, 4))
	}
	switch {
	case b.bad || m.Body < 0:
		return nil, ErrCorrupt
	case version < oldest:
		return nil, fmt.Errorf("metadata version V%d, of a release before Arrow 0.8: write the data again with a newer one", version+1)
	case version > current:
		return nil, fmt.Errorf("metadata version V%d, which this program does not know: write the data again as V%d, the version of Arrow 1.0 and later", version+1, current+1)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return m, nil
}

// earlyCompression is the entry of a message's metadata in which Arrow 0.17 names the compression
// of the buffers. Later releases have a field of the batch for it.
const earlyCompression = "ARROW:experimental_compression"

// earlyCodec returns the codec that Arrow 0.17 names in the metadata of a message.
func earlyCodec(of arrow.Metadata) (Codec, error) {
	at := of.FindKey(earlyCompression)
	if at < 0 {
		return Uncompressed, nil
	}
	name := of.Values()[at]
	codec, ok := map[string]Codec{"uncompressed": Uncompressed, "lz4": LZ4Frame, "zstd": Zstd}[strings.ToLower(name)]
	if !ok {
		return Uncompressed, fmt.Errorf("the unknown compression %.40q of Arrow 0.17", name)
	}
	return codec, nil
}

func parseBatch(t *table, body int64) (*Batch, error) {
	rows := t.int64(0)
	if rows < 0 || rows > math.MaxInt {
		return nil, fmt.Errorf("a batch of %d rows", rows)
	}
	batch := &Batch{Rows: int(rows)}
	if t == nil {
		return nil, errors.New("a batch without its description")
	}
	at, n := t.vector(1, 16)
	for i := range n {
		node := Node{int(t.b.int64(at + 16*i)), int(t.b.int64(at + 16*i + 8))}
		if node.Length < 0 || node.Nulls > node.Length {
			return nil, fmt.Errorf("a field of %d values, %d of them null", node.Length, node.Nulls)
		}
		batch.Nodes = append(batch.Nodes, node)
	}
	at, n = t.vector(2, 16)
	for i := range n {
		span := Span{t.b.int64(at + 16*i), t.b.int64(at + 16*i + 8)}
		if span.Offset < 0 || span.Length < 0 || span.Length > body || span.Offset > body-span.Length {
			return nil, fmt.Errorf("a buffer of %d bytes at %d in a body of %d bytes", span.Length, span.Offset, body)
		}
		batch.Buffers = append(batch.Buffers, span)
	}
	if c := t.table(3); c != nil {
		switch c.byte(0) {
		case 0:
			batch.Codec = LZ4Frame
		case 1:
			batch.Codec = Zstd
		default:
			return nil, fmt.Errorf("the unknown compression %d", c.byte(0))
		}
	}
	at, n = t.vector(4, 8)
	for i := range n {
		views := t.b.int64(at + 8*i)
		if views < 0 || views > int64(len(batch.Buffers)) {
			return nil, fmt.Errorf("%d buffers of views among %d", views, len(batch.Buffers))
		}
		batch.Views = append(batch.Views, int(views))
	}
	return batch, nil
}

// ParseFooter reads the footer of a file of size bytes. It makes sure that all blocks
// are within the file.
func ParseFooter(data []byte, size int64) (*Footer, error) {
	b := parse(data)
	root := b.root()
	schema, err := parseSchema(root.table(1))
	f := &Footer{Schema: schema, Dictionaries: blocks(root, 2), Batches: blocks(root, 3)}
	switch {
	case b.bad:
		return nil, ErrCorrupt
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	for _, list := range [][]Block{f.Dictionaries, f.Batches} {
		for i, k := range list {
			if k.Offset < 0 || k.Metadata < 8 || k.Body < 0 || k.Offset > size || k.Body > size-k.Offset-int64(k.Metadata) {
				return nil, fmt.Errorf("%w: batch %d at byte %d has %d bytes of metadata and a body of %d, but the file has %d bytes", ErrCorrupt, i, k.Offset, k.Metadata, k.Body, size)
			}
		}
	}
	return f, nil
}

func blocks(t *table, i int) []Block {
	at, n := t.vector(i, 24)
	list := make([]Block, 0, n)
	for k := range n {
		place := at + 24*k
		list = append(list, Block{t.b.int64(place), t.b.int32(place + 8), t.b.int64(place + 16)})
	}
	return list
}
