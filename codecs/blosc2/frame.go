package blosc2

import (
	"encoding/binary"
	"math"
)

// frameHeader is the least size of a frame's header.
const frameHeader = 87

// frame is a frame with what its header says.
type frame struct {
	data       []byte
	header     int // size of the header; the chunks follow
	size       int // of the content
	stored     int // bytes of the chunks
	typeSize   int
	chunkSize  int
	array      *array
	chunkCount int
}

// parseFrame parses the header of a frame. All numbers are in msgpack.
func parseFrame(data []byte) (*frame, error) {
	if len(data) < frameHeader || string(data[2:10]) != "b2frame\x00" {
		return nil, corrupt("%d bytes, which do not begin like a frame", len(data))
	}
	f := &frame{
		header: int(binary.BigEndian.Uint32(data[11:])), typeSize: int(int32(binary.BigEndian.Uint32(data[48:]))),
		chunkSize: int(int32(binary.BigEndian.Uint32(data[58:]))),
	}
	length, size, stored := binary.BigEndian.Uint64(data[16:]), binary.BigEndian.Uint64(data[30:]), binary.BigEndian.Uint64(data[39:])
	if length > uint64(len(data)) || f.header < frameHeader || uint64(f.header) > length || stored > length-uint64(f.header) || size > math.MaxInt64/2 {
		return nil, corrupt("a frame of %d bytes, with a header of %d and chunks of %d, in %d bytes", length, f.header, stored, len(data))
	}
	f.data, f.size, f.stored = data[:length], int(size), int(stored)
	switch kind := data[26]; {
	case kind != 0:
		return nil, unsupported("a frame of kind %d, whose chunks are in other files", kind)
	case f.size > 0 && f.chunkSize == 0:
		return nil, unsupported("chunks of varying size")
	case f.typeSize <= 0 || f.chunkSize < 0 && f.size > 0:
		return nil, corrupt("elements of %d bytes, in chunks of %d", f.typeSize, f.chunkSize)
	case f.size > 0:
		f.chunkCount = (f.size-1)/f.chunkSize + 1
	}
	return f, f.metalayers()
}

// metalayers looks for the metalayer of arrays. The header has an index of the metalayers: the
// name of each, and where its content begins.
func (f *frame) metalayers() error {
	head := f.data[:f.header]
	const index = frameHeader + 2 + 2 // behind the beginning of a list, and the size of the index
	if len(head) < index+3 {
		return nil // there is none
	}
	if head[index] != 0xde {
		return corrupt("the index of metalayers")
	}
	n := int(binary.BigEndian.Uint16(head[index+1:]))
	rest := head[index+3:]
	for range n {
		if len(rest) < 1 || rest[0]&0xe0 != 0xa0 || len(rest) < 1+int(rest[0]&31)+5 {
			return corrupt("the index of metalayers")
		}
		name := string(rest[1:][:rest[0]&31])
		rest = rest[1+len(name):]
		at := int(binary.BigEndian.Uint32(rest[1:]))
		rest = rest[5:]
		if name != "b2nd" && name != "caterva" {
			continue
		}
		if at > len(head)-5 || head[at] != 0xc6 {
			return corrupt("the metalayer %s begins at byte %d of %d", name, at, len(head))
		}
		length := int(binary.BigEndian.Uint32(head[at+1:]))
		if length > len(head)-at-5 {
			return corrupt("the metalayer %s of %d bytes", name, length)
		}
		var err error
		if f.array, err = parseArray(head[at+5:][:length]); err != nil {
			return err
		}
		return f.checkArray()
	}
	return nil
}

// checkArray compares the shapes of an array with the sizes of content and chunks.
func (f *frame) checkArray() error {
	a := f.array
	padded := make([]int, len(a.shape))
	for k := range a.shape {
		if a.shape[k] > 0 && (a.block[k] == 0 || a.block[k] > a.chunk[k]) {
			return corrupt("an array of shape %v in chunks of %v and blocks of %v", a.shape, a.chunk, a.block)
		}
		if a.shape[k] == 0 {
			return nil // without elements
		}
		padded[k] = (a.chunk[k] + a.block[k] - 1) / a.block[k] * a.block[k]
	}
	// The header states 1 for elements of more than 255 bytes.
	n, chunks := elements(padded, f.chunkSize), elements(counts(a.shape, a.chunk), math.MaxInt32)
	if n > 0 && f.typeSize == 1 {
		f.typeSize = f.chunkSize / n
	}
	if n < 1 || f.typeSize < 1 || f.chunkSize/n != f.typeSize || f.chunkSize%n != 0 || chunks != f.chunkCount || f.size%f.chunkSize != 0 || elements(a.shape, math.MaxInt/4/f.typeSize) < 0 {
		return corrupt("an array of shape %v in chunks of %v and blocks of %v, of %d bytes in %d chunks", a.shape, a.chunk, a.block, f.size, f.chunkCount)
	}
	return nil
}

// content returns the number of bytes of the decoded frame.
func (f *frame) content() int {
	if f.array == nil {
		return f.size
	}
	return elements(f.array.shape, math.MaxInt/4/f.typeSize) * f.typeSize
}

// chunkAt returns chunk i. offsets is the index of chunks, decoded.
func (f *frame) chunkAt(offsets []byte, i int) (*chunk, error) {
	size := min(f.chunkSize, f.size-i*f.chunkSize)
	at := int64(binary.LittleEndian.Uint64(offsets[8*i:]))
	if at < 0 {
		// A chunk of special content that has no bytes of its own.
		kind := int(at >> 56 & 7)
		if kind != zeros && kind != nans && kind != anything {
			return nil, unsupported("a chunk of the special kind %d", kind)
		}
		return &chunk{version: 5, typeSize: min(f.typeSize, maxTypeSize+1), size: size, block: size, kind: kind}, nil
	}
	if at > int64(f.stored) {
		return nil, corrupt("chunk %d begins at byte %d of %d", i, at, f.stored)
	}
	c, err := parseChunk(f.data[f.header+int(at) : f.header+f.stored])
	if err == nil && c.size != size {
		err = corrupt("chunk %d has %d bytes of content, want %d", i, c.size, size)
	}
	return c, err
}
