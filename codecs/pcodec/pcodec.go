package pcodec

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/internal/race"
)

// Causes of errors about encoded data.
var (
	// ErrCorrupt means that a stream is damaged or cut short, has another number type
	// than expected, or holds too few numbers.
	ErrCorrupt = errors.New("corrupt pco stream")
	// ErrTooLarge means that a stream holds more numbers than expected.
	ErrTooLarge = errors.New("pco stream holds too many numbers")
	// ErrUnsupported means that a stream uses a part of the format that this package
	// does not have, or that a Type is none of the constants.
	ErrUnsupported = errors.New("unsupported by this pco decoder")
)

// Type is the type of a stream's numbers, numbered as in the format.
type Type uint8

// Number types of the format.
const (
	Uint32  Type = 1
	Uint64  Type = 2
	Int32   Type = 3
	Int64   Type = 4
	Float32 Type = 5
	Float64 Type = 6
	Uint16  Type = 7
	Int16   Type = 8
	Float16 Type = 9
	Uint8   Type = 10
	Int8    Type = 11
)

var typeNames = [...]string{"", "uint32", "uint64", "int32", "int64", "float32", "float64", "uint16", "int16", "float16", "uint8", "int8"}

// typeSizes is zero for numbers that are no type.
var typeSizes = [...]int{0, 4, 8, 4, 8, 4, 8, 2, 2, 2, 1, 1}

// String returns the type's name, such as "float32".
func (t Type) String() string {
	if t.Size() == 0 {
		return fmt.Sprintf("number type %d", uint8(t))
	}
	return typeNames[t]
}

// Size returns the size of one number in bytes, or 0 for an unknown type.
func (t Type) Size() int {
	if int(t) >= len(typeSizes) {
		return 0
	}
	return typeSizes[t]
}

func (t Type) float() bool { return t == Float16 || t == Float32 || t == Float64 }

func (t Type) signed() bool {
	return t == Int8 || t == Int16 || t == Int32 || t == Int64
}

// Limits of the format.
const (
	maxStandaloneVersion = 3
	maxMajorVersion      = 4
)

const magic = "pco!"

// DecodeInto decodes a whole stream of numbers of one type into dst, in the host's byte
// order. The stream must fill dst exactly. A stream with more numbers is ErrTooLarge. A
// stream with fewer numbers is ErrCorrupt, and so is one that is cut short, damaged, or
// longer than its end. After an error the content of dst is undefined. DecodeInto
// allocates less than a megabyte at a time, and otherwise memory in proportion to the
// sizes of src and dst.
func DecodeInto(dst, src []byte, number Type) error {
	size := number.Size()
	if size == 0 {
		return fmt.Errorf("pcodec: %v: %w", number, ErrUnsupported)
	}
	if len(dst)%size != 0 {
		return fmt.Errorf("pcodec: a destination of %d bytes does not hold whole %v numbers", len(dst), number)
	}
	race.Read(src)
	race.Write(dst)
	if err := decode(dst, src, number); err != nil {
		return fmt.Errorf("pcodec: %w", err)
	}
	return nil
}

func decode(dst, src []byte, number Type) error {
	r := newReader(src)
	h, err := readHeader(r)
	if err != nil {
		return err
	}
	size := number.Size()
	for index := 0; ; index++ {
		n, err := decodeChunk(r, h, number, dst)
		if err != nil {
			return fmt.Errorf("chunk %d: %w", index, err)
		}
		if n == 0 {
			break
		}
		dst = dst[n:]
	}
	if len(dst) != 0 {
		return fmt.Errorf("%d numbers are missing: %w", len(dst)/size, ErrCorrupt)
	}
	if rest := (r.end - r.pos) / 8; rest != 0 {
		return fmt.Errorf("%d bytes follow the end: %w", rest, ErrCorrupt)
	}
	return nil
}

// decodeChunk decodes a chunk to the front of dst and returns the number of bytes, 0 at
// the end of the stream.
func decodeChunk(r *reader, h header, number Type, dst []byte) (int, error) {
	t, err := readChunkType(r, h)
	if err != nil || t == 0 {
		return 0, err
	}
	if t != number {
		return 0, fmt.Errorf("numbers are of type %v, not %v: %w", t, number, ErrCorrupt)
	}
	count := int(r.read(24)) + 1
	if r.short {
		return 0, errShort
	}
	size := number.Size()
	if count > len(dst)/size {
		return 0, fmt.Errorf("%d numbers where %d are left: %w", count, len(dst)/size, ErrTooLarge)
	}
	dst = dst[:count*size]
	switch size {
	case 1:
		err = decodeNumbers[uint8](r, h.major, number, dst)
	case 2:
		err = decodeNumbers[uint16](r, h.major, number, dst)
	case 4:
		err = decodeNumbers[uint32](r, h.major, number, dst)
	default:
		err = decodeNumbers[uint64](r, h.major, number, dst)
	}
	return len(dst), err
}

// Inspect returns the type of a stream's numbers, and their count as the stream states
// it, which need not be true. The type is 0 for an empty stream that does not state it,
// and the count is 0 for a stream that does not state it.
func Inspect(src []byte) (number Type, count uint64, err error) {
	r := newReader(src)
	h, err := readHeader(r)
	if err == nil && h.uniform == 0 {
		h.uniform, err = readChunkType(r, h)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("pcodec: %w", err)
	}
	return h.uniform, h.hint, nil
}

// header is the part of a stream before its chunks.
type header struct {
	uniform Type   // the type of all chunks, or 0 if not stated
	hint    uint64 // how many numbers there may be, 0 if not stated
	major   uint8  // format version
}

func readHeader(r *reader) (header, error) {
	var h header
	if !bytes.HasPrefix(r.data, []byte(magic)) {
		return h, fmt.Errorf("it does not begin with %q: %w", magic, ErrCorrupt)
	}
	r.pos = 8 * len(magic)
	version := r.read(8)
	if version > maxStandaloneVersion {
		return h, fmt.Errorf("standalone version %d: %w", version, ErrUnsupported)
	}
	if version < 2 {
		h.major = uint8(version) // one number stands for both versions
	} else {
		if version >= 3 {
			h.uniform = Type(r.read(8))
		}
		bits := uint(r.read(6)) + 1
		h.hint = r.read(bits)
		if err := r.align(); err != nil {
			return h, err
		}
		h.major = uint8(r.read(8))
	}
	if h.uniform != 0 && h.uniform.Size() == 0 {
		return h, fmt.Errorf("%v: %w", h.uniform, ErrUnsupported)
	}
	if h.major > maxMajorVersion {
		return h, fmt.Errorf("format version %d: %w", h.major, ErrUnsupported)
	}
	if h.major >= 4 {
		r.read(8) // the minor version announces additions, which are handled where they are used
	}
	if r.short {
		return h, errShort
	}
	return h, nil
}

// readChunkType reads the first field of a chunk; it is 0 at the end of the
// stream.
func readChunkType(r *reader, h header) (Type, error) {
	t := Type(r.read(8))
	switch {
	case r.short:
		return 0, errShort
	case t != 0 && t.Size() == 0:
		return 0, fmt.Errorf("%v: %w", t, ErrUnsupported)
	case t != 0 && h.uniform != 0 && t != h.uniform:
		return 0, fmt.Errorf("a chunk of type %v in a stream of %v: %w", t, h.uniform, ErrCorrupt)
	}
	return t, nil
}
