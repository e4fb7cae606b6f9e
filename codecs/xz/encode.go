package xz

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ulikunitz/xz/lzma"
)

const (
	// storedChunk is the most bytes that an LZMA2 chunk stores. storedHeader is the
	// length of its header.
	storedChunk  = 1 << 16
	storedHeader = 3
	// overhead is more than the bytes that the container adds.
	overhead = 160
	// roomyDictionary is the smallest dictionary with which the LZMA2 encoder always
	// succeeds, because it takes stored bytes from the dictionary.
	roomyDictionary = 2 * storedChunk
)

// Control bytes of LZMA2 chunks.
const (
	chunkEnd = iota
	chunkStoredFirst
	chunkStored
)

// lzma2Most returns the most bytes that n bytes take as LZMA2: the size of chunks that
// store them.
func lzma2Most(n int) int { return n + (n/storedChunk+1)*storedHeader + 1 }

// MaxEncodedSize returns the most bytes that n bytes take. Unlike LZMA2, LZMA cannot
// store bytes. Its models then cost a few percent, and no content takes twice its size.
func MaxEncodedSize(n int, o Options) int {
	if o.Format == Alone || o.LZMA1 {
		return 2*n + 1024
	}
	return lzma2Most(n) + overhead
}

// EncoderMemory returns the most bytes of memory that AppendEncode needs besides dst
// and src for n bytes, as measured: the tables and the dictionary of the encoder, about
// ten times as much as it looks back, and a filtered copy. AppendDecode needs less.
func EncoderMemory(n int, o Options) int {
	size := o.dictionary(n)
	return size*11/2 + min(4*size, 8<<20) + n + 1<<20
}

// dictionary returns how far the encoder looks back in a content of n bytes.
func (o Options) dictionary(n int) int {
	size := o.Dictionary
	if o.Format == XZ {
		size = max(size, roomyDictionary) // the container states it
	}
	// Every reader accepts a power of two.
	return min(size, max(lzma.MinDictCap, 1<<bits.Len(uint(n))))
}

// AppendEncode appends the encoding of src to dst and returns the extended slice. The
// same bytes and options always give the same encoding. It returns an error for options
// that Verify refuses.
func AppendEncode(dst, src []byte, o Options) ([]byte, error) {
	if err := o.Verify(); err != nil {
		return nil, err
	}
	size := o.dictionary(len(src))
	filtered := src
	if len(o.Deltas) > 0 {
		filtered = slices.Clone(src)
		delta(filtered, o.Deltas)
	}
	compress := func(dst []byte) ([]byte, error) { return encodeLZMA2(dst, filtered, size, o) }
	switch {
	case o.Format == XZ:
		return appendContainer(dst, src, o, size, compress)
	case o.Format == Alone:
		return encodeLZMA1(dst, src, size, o)
	case o.LZMA1:
		from := len(dst)
		dst, err := encodeLZMA1(dst, filtered, size, o)
		if err != nil {
			return nil, err
		}
		return slices.Delete(dst, from, from+lzma.HeaderLen), nil
	default:
		return compress(dst)
	}
}

// encodeLZMA1 appends a .lzma file.
func encodeLZMA1(dst, src []byte, size int, o Options) ([]byte, error) {
	out, properties := output{dst}, o.properties()
	w, err := lzma.WriterConfig{Properties: &properties, DictCap: size}.NewWriter(&out)
	if err == nil {
		_, err = w.Write(src)
	}
	if err == nil {
		err = w.Close()
	}
	return out.b, err
}

// encodeLZMA2 appends LZMA2 chunks. All chunks are stored ones if the others would be
// longer, or if the dictionary is too small for the encoder and the content.
func encodeLZMA2(dst, src []byte, size int, o Options) ([]byte, error) {
	out, properties := output{dst}, o.properties()
	w, err := lzma.Writer2Config{Properties: &properties, DictCap: size}.NewWriter2(&out)
	if err == nil {
		_, err = w.Write(src)
	}
	if err == nil {
		err = w.Flush() // Close alone does not report its errors
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil && len(out.b)-len(dst) <= lzma2Most(len(src)) {
		return out.b, nil
	}
	if err != nil && size >= roomyDictionary {
		return nil, err
	}
	dst = out.b[:len(dst)]
	control := byte(chunkStoredFirst)
	for part := range slices.Chunk(src, storedChunk) {
		dst = binary.BigEndian.AppendUint16(append(dst, control), uint16(len(part)-1))
		dst = append(dst, part...)
		control = chunkStored
	}
	return append(dst, chunkEnd), nil
}
