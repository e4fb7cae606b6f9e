package codecs_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/elements"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// The codecs of this file stand for those of another program. Together they have all
// traits. The tests check that a chain uses each trait.

// outside returns the standard codecs together with the codecs and the data type of
// this file.
func outside(t *testing.T) *codecs.Registry {
	t.Helper()
	types := dtype.Standard()
	err := types.Register(dtype.Family{
		Name: "example.int12", Summary: "a signed integer of 12 bits", Example: int12{}, FillValue: "an integer",
		ParseV3: func(json.RawMessage) (dtype.Type, error) { return int12{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := standard.Registry(types)
	for _, d := range []codecs.Definition{
		{Name: "example.negate", Kind: codecs.KindArrayToArray, Lossy: "nothing to speak of", Parse: func(text json.RawMessage) (codecs.Codec, error) {
			return negateCodec{types}, nil
		}},
		{Name: "example.halves", Kind: codecs.KindArrayToArray, Lossy: "the lowest bit", Parse: func(json.RawMessage) (codecs.Codec, error) { return halvesCodec{}, nil }},
		{Name: "example.mirror", Kind: codecs.KindArrayToArray, Parse: func(json.RawMessage) (codecs.Codec, error) { return mirrorCodec{}, nil }},
		{Name: "example.words", Kind: codecs.KindArrayToBytes, Parse: func(json.RawMessage) (codecs.Codec, error) { return wordsCodec{}, nil }},
		{Name: "example.lines", Kind: codecs.KindArrayToBytes, Parse: func(json.RawMessage) (codecs.Codec, error) { return linesCodec{}, nil }},
		{Name: "example.rows", Kind: codecs.KindArrayToBytes, Container: true, Parse: func(json.RawMessage) (codecs.Codec, error) { return rowsCodec{r}, nil }},
		{Name: "example.sum", Kind: codecs.KindBytesToBytes, Parse: func(json.RawMessage) (codecs.Codec, error) { return sumCodec{}, nil }},
		{Name: "example.invert", Kind: codecs.KindBytesToBytes, V2: "flipped", Parse: func(json.RawMessage) (codecs.Codec, error) { return invertCodec{}, nil }},
	} {
		if err := r.Register(d); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// int12 is a data type: integers of 12 bits in words of two bytes.
type int12 struct{}

func (int12) Name() string                 { return "example.int12" }
func (int12) Size() int                    { return 2 }
func (int12) Kind() dtype.Kind             { return dtype.Int }
func (int12) Default() dtype.Scalar        { return make(dtype.Scalar, 2) }
func (int12) V3() (json.RawMessage, error) { return json.RawMessage(`"example.int12"`), nil }
func (int12) V2(dtype.Order) (json.RawMessage, error) {
	return nil, errors.New("Zarr v2 has no such type")
}
func (int12) SwapInto(dst, src []byte) { dtype.SwapWords(2, dst, src) }
func (int12) Packing() dtype.Packing   { return dtype.Packing{Components: 1, Bits: 12, Signed: true} }
func (int12) FormatScalar(_ dtype.Format, s dtype.Scalar) json.RawMessage {
	return strconv.AppendInt(nil, int64(int16(binary.NativeEndian.Uint16(s))), 10)
}

func (int12) ParseScalar(_ dtype.Format, text json.RawMessage) (dtype.Scalar, error) {
	v, err := strconv.ParseInt(string(text), 10, 12)
	if err != nil {
		return nil, fmt.Errorf("%s is not an example.int12 value: %w", text, dtype.ErrOutOfRange)
	}
	return binary.NativeEndian.AppendUint16(nil, uint16(v)), nil
}

// TestTypeFromOutsideInCastValue checks that cast_value, and a codec of numcodecs, can
// store a data type of another program.
func TestTypeFromOutsideInCastValue(t *testing.T) {
	r := outside(t)
	in := codecs.Chunk{Type: dtype.Float64, Shape: []int{4}, Fill: dtype.Float64.Default()}
	chain, err := r.Bind(names(`cast_value {"data_type":"example.int12","out_of_range":"clamp"}`, `bytes {"endian":"big"}`), in)
	if err != nil {
		t.Fatal(err)
	}
	if got := chain.Stage(1).Type; got != dtype.Type(int12{}) {
		t.Errorf("stored elements: %v", got)
	}
	src := lineOf(dtype.Float64, -5.5, 3000.0, -1e9, 7.0)
	got := roundTrip(t, chain, src)
	if diff := cmp.Diff(itemsOf[float64](lineOf(dtype.Float64, -6.0, 2047.0, -2048.0, 7.0)), itemsOf[float64](got)); diff != "" {
		t.Error(diff)
	}
	data, _, err := chain.Encode(&ndarray.Pool{}, src)
	if want := []byte{0xff, 0xfa, 0x07, 0xff, 0xf8, 0x00, 0x00, 0x07}; err != nil || !bytes.Equal(data, want) {
		t.Errorf("% x (%v)", data, err)
	}
	if _, err := standard.Registry(dtype.Standard()).Bind(names(`cast_value {"data_type":"example.int12"}`, "bytes"), in); err == nil {
		t.Error("a program without the type accepts it")
	}
	if r.Types() == nil {
		t.Error("the registry has no data types")
	}
}

// negate is an array → array codec that changes the sign of int16. Its Encode and
// Decode panic, because a chain must run neighbours as one.
type (
	negateCodec struct{ types *dtype.Registry }
	negate      struct{ in codecs.Chunk }
)

func (c negateCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	b := negate{in}
	b.in.Fill = negated.Scalar(in.Type, in.Type, in.Fill)
	return b, nil
}

// negated has no result for the one number that has no negative.
var negated elements.Kernel = func(dst, src ndarray.Array) int {
	to, _ := ndarray.As[int16](dst)
	from, _ := ndarray.As[int16](src)
	for i, v := range from {
		if v == -1<<15 {
			return i
		}
		to[i] = -v
	}
	return -1
}

func (b negate) Spec() codecs.Spec { return spec("example.negate", `{"dtype":"<i2"}`) }
func (b negate) SpecIn(received, made dtype.Order) (codecs.Spec, dtype.Order) {
	if made == dtype.Big {
		return spec("example.negate", `{"dtype":">i2"}`), made
	}
	return b.Spec(), made
}
func (b negate) Encoded() codecs.Chunk                                          { return b.in }
func (b negate) Encode(_, _ ndarray.Array) error                                { panic("not fused") }
func (b negate) Decode(_, _ ndarray.Array) error                                { panic("not fused") }
func (b negate) EncodeKernel() elements.Kernel                                  { return negated }
func (b negate) DecodeKernel() elements.Kernel                                  { return negated }
func (b negate) EncodeError(src ndarray.Array, at int) error                    { return codecs.NewElementError(src, at) }
func (b negate) DecodeError(src ndarray.Array, at int) error                    { return codecs.NewElementError(src, at) }
func (b negate) EncodedRegion(r ndarray.Region) ndarray.Region                  { return r }
func (b negate) Refuses() bool                                                  { return true }
func (b negate) Unit() float64                                                  { return 1 }
func (b negate) Stable(next any) bool                                           { _, ok := next.(codecs.Absorbing); return ok }
func (b negate) Losses() []codecs.Loss                                          { return nil }
func (b negate) JoinDecode(codecs.Elementwise, elements.Kernel) elements.Kernel { return nil }

// JoinEncode implements [codecs.Joining]: two changes of sign cancel out.
func (b negate) JoinEncode(next codecs.Elementwise, _ elements.Kernel) elements.Kernel {
	if _, ok := next.(negate); !ok {
		return nil
	}
	return func(dst, src ndarray.Array) int {
		copy(dst.Data, src.Data)
		return -1
	}
}

// halves is an array → array codec that stores half of each int16, rounded down.
type (
	halvesCodec struct{}
	halves      struct{ in codecs.Chunk }
)

func (halvesCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	return halves{in}, nil
}
func (b halves) Spec() codecs.Spec                   { return spec("example.halves", "") }
func (b halves) Encoded() codecs.Chunk               { return codecs.Chunk{Type: b.in.Type, Shape: b.in.Shape} }
func (b halves) Unit() float64                       { return 2 }
func (b halves) Absorbs() bool                       { return true }
func (b halves) Losses() []codecs.Loss               { return []codecs.Loss{{What: "halved", AtMost: 1}} }
func (b halves) Scratch() int                        { return 1 << 20 }
func (b halves) Hazards() []codecs.Hazard            { return []codecs.Hazard{{Code: "example", Message: "odd"}} }
func (b halves) Encode(dst, src ndarray.Array) error { return shiftWords(dst, src, -1) }
func (b halves) Decode(dst, src ndarray.Array) error { return shiftWords(dst, src, 1) }

func shiftWords(dst, src ndarray.Array, by int) error {
	elements.Kernel(func(dst, src ndarray.Array) int {
		to, _ := ndarray.As[int16](dst)
		from, _ := ndarray.As[int16](src)
		for i, v := range from {
			to[i] = v >> max(-by, 0) << max(by, 0)
		}
		return -1
	}).Run(dst, src)
	return nil
}

// mirror is an array → array codec that swaps two dimensions. It is a view.
type (
	mirrorCodec struct{}
	mirror      struct{ in codecs.Chunk }
)

func (mirrorCodec) Extents() []int { return []int{2, 3} }
func (mirrorCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	return mirror{in}, nil
}
func (b mirror) Spec() codecs.Spec { return spec("example.mirror", "") }
func (b mirror) Encoded() codecs.Chunk {
	return codecs.Chunk{Type: b.in.Type, Shape: []int{b.in.Shape[1], b.in.Shape[0]}, Fill: b.in.Fill}
}
func (b mirror) EncodeView(src ndarray.Array) ndarray.Array { return src.Transpose([]int{1, 0}) }
func (b mirror) DecodeView(dst ndarray.Array) ndarray.Array { return dst.Transpose([]int{1, 0}) }
func (b mirror) EncodedRegion(r ndarray.Region) ndarray.Region {
	return ndarray.Region{Start: []int{r.Start[1], r.Start[0]}, Shape: []int{r.Shape[1], r.Shape[0]}}
}
func (b mirror) Encode(dst, src ndarray.Array) error {
	ndarray.Copy(dst, b.EncodeView(src))
	return nil
}
func (b mirror) Decode(dst, src ndarray.Array) error {
	ndarray.Copy(b.DecodeView(dst), src)
	return nil
}

// words is an array → bytes codec like bytes, with big-endian int16.
type (
	wordsCodec struct{}
	words      struct{ in codecs.Chunk }
)

func (wordsCodec) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	return words{in}, nil
}
func (b words) Spec() codecs.Spec                        { return spec("example.words", "") }
func (b words) bytes() int                               { n, _ := ndarray.Bytes(b.in.Type, b.in.Shape); return n }
func (b words) Size() codecs.Size                        { return codecs.Size{Max: b.bytes(), Fixed: true, Item: 2} }
func (b words) ByteOrder() dtype.Order                   { return dtype.Big }
func (b words) PadsNearest() bool                        { return true }
func (b words) Refuses() bool                            { return false }
func (b words) StoreKernel() elements.Kernel             { return swapWords }
func (b words) LoadKernel() elements.Kernel              { return swapWords }
func (b words) EncodeAlias(ndarray.Array) ([]byte, bool) { return nil, false }
func (b words) DecodeAlias(ndarray.Array) ([]byte, bool) { return nil, false }
func (b words) Stored(data []byte) (ndarray.Array, error) {
	if err := b.Size().Check(len(data)); err != nil {
		return ndarray.Array{}, err
	}
	return ndarray.View(b.in.Type, b.in.Shape, data)
}
func (b words) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	a := ndarray.New(b.in.Type, b.in.Shape)
	elements.Kernel(swapWords).Run(a, src)
	return append(dst, a.Data...), nil
}
func (b words) Decode(dst ndarray.Array, src []byte) error {
	a, err := b.Stored(src)
	if err == nil {
		elements.Kernel(swapWords).Run(dst, a)
	}
	return err
}

// DecodeRegion implements [codecs.Ranged]. It reads only the box, one element at a
// time.
func (b words) DecodeRegion(ctx context.Context, _ *ndarray.Pool, dst ndarray.Array, start []int, in codecs.Input) error {
	for i := range dst.Len() {
		index := elements.Coordinates(dst.Shape, i)
		for k := range index {
			index[k] += start[k]
		}
		word := make([]byte, 2)
		if err := in.ReadAt(ctx, word, int64(2*elements.Ordinal(b.in.Shape, index))); err != nil {
			return err
		}
		slices.Reverse(word)
		copy(elements.Value(dst, i), word)
	}
	return nil
}

func swapWords(dst, src ndarray.Array) int {
	dtype.SwapWords(2, dst.Data, src.Data)
	return -1
}

// lines is an array → bytes codec that stores one text a line.
type (
	linesCodec struct{}
	lines      struct{ n int }
)

func (linesCodec) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	n, _ := ndarray.Elements(in.Shape)
	return lines{n}, nil
}
func (b lines) Spec() codecs.Spec { return spec("example.lines", "") }
func (b lines) Size() codecs.Size { return codecs.Size{Max: codecs.MaxVariable, Unbounded: true} }
func (b lines) EncodedSize(src ndarray.Array) (n int) {
	for item := range src.Items() {
		n += len(item) + 1
	}
	return n
}
func (b lines) AppendEncode(dst []byte, src ndarray.Array) ([]byte, error) {
	for item := range src.Items() {
		dst = append(append(dst, item...), '\n')
	}
	return dst, nil
}
func (b lines) Decode(dst ndarray.Array, src []byte) error {
	return dst.SetItems(func() ([]byte, error) {
		item, rest, ok := bytes.Cut(src, []byte("\n"))
		if src = rest; !ok {
			return nil, codecs.ErrCorrupt
		}
		return item, nil
	})
}
func (b lines) Verification() codecs.Verification {
	return codecs.Verification{All: true, InPieces: true}
}
func (b lines) Verify(ctx context.Context, in codecs.Input) error {
	data, err := codecs.ReadAll(ctx, in)
	if err != nil {
		return err
	}
	check := b.Check()
	if _, err := check.Write(data); err != nil {
		return err
	}
	return check.Close()
}
func (b lines) Check() io.WriteCloser { return &lineCheck{want: b.n} }

type lineCheck struct{ want, seen int }

func (c *lineCheck) Write(p []byte) (int, error) {
	c.seen += bytes.Count(p, []byte("\n"))
	return len(p), nil
}
func (c *lineCheck) Close() error {
	if c.seen != c.want {
		return fmt.Errorf("%w: %d lines, the chunk has %d", codecs.ErrCorrupt, c.seen, c.want)
	}
	return nil
}

// rows is a container. Its inner chunks are single rows, and a plain index lies in
// front.
type (
	rowsCodec struct{ registry *codecs.Registry }
	rows      struct{ *codecs.Shards }
	rowIndex  int // number of inner chunks
)

func (c rowsCodec) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	one := in
	one.Shape = slices.Clone(in.Shape)
	one.Shape[0] = 1
	inner, err := c.registry.Bind(names("example.words", "example.sum"), one)
	if err != nil {
		return nil, err
	}
	s, err := codecs.NewShards(in.Shape, inner, rowIndex(in.Shape[0]))
	return rows{s}, err
}
func (b rows) Spec() codecs.Spec { return spec("example.rows", "") }
func (b rows) SpecWithInner(inner []codecs.Spec) codecs.Spec {
	return spec("example.rows", fmt.Sprintf(`{"inner":%q}`, inner[0].Name))
}

func (x rowIndex) Size() int     { return 16 * int(x) }
func (x rowIndex) AtStart() bool { return true }
func (x rowIndex) Memory() int   { return 0 }
func (x rowIndex) Append(_ *ndarray.Pool, dst []byte, places []codecs.Place) ([]byte, error) {
	for _, p := range places {
		dst = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, p.Offset), p.Length)
	}
	return dst, nil
}
func (x rowIndex) Read(_ *ndarray.Pool, places []codecs.Place, index []byte) error {
	if len(index) != x.Size() {
		return codecs.ErrCorrupt
	}
	for i := range places {
		places[i] = codecs.Place{Offset: binary.BigEndian.Uint64(index[16*i:]), Length: binary.BigEndian.Uint64(index[16*i+8:])}
	}
	return nil
}

// sum is a bytes → bytes codec that appends an Adler-32 checksum to the bytes.
type (
	sumCodec struct{}
	sum      struct{ in codecs.Size }
)

func (sumCodec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) { return sum{in}, nil }
func (b sum) Spec() codecs.Spec                                               { return spec("example.sum", "") }
func (b sum) Size() codecs.Size {
	return codecs.Size{Max: b.in.Max + 4, Fixed: b.in.Fixed, Unbounded: b.in.Unbounded}
}
func (b sum) AppendEncode(dst, src []byte) ([]byte, error) {
	return binary.BigEndian.AppendUint32(append(dst, src...), adler32.Checksum(src)), nil
}
func (b sum) AppendDecode(dst, src []byte) ([]byte, error) {
	if err := b.Verify(context.Background(), codecs.InMemory(src)); err != nil {
		return nil, err
	}
	return append(dst, src[:len(src)-4]...), nil
}
func (b sum) Verification() codecs.Verification {
	return codecs.Verification{All: true, Checksum: true, InPieces: true}
}
func (b sum) Verify(ctx context.Context, in codecs.Input) error {
	data, err := codecs.ReadAll(ctx, in)
	if err == nil && (len(data) < 4 || adler32.Checksum(data[:len(data)-4]) != binary.BigEndian.Uint32(data[len(data)-4:])) {
		err = fmt.Errorf("%w: the checksum differs", codecs.ErrCorrupt)
	}
	return err
}
func (b sum) Names() (preferred, former codecs.Spec) {
	return b.Spec(), spec("example.adler32", `{"location":"end"}`)
}
func (b sum) Enclosed(in codecs.Input) codecs.Input { return codecs.Section(in, 0, in.Size()-4) }
func (b sum) DecodedLength(src []byte) (int, error) { return max(len(src)-4, 0), nil }

// invert is a bytes → bytes codec that inverts all bits. Each byte can be decoded by
// itself.
type (
	invertCodec struct{}
	invert      struct{ in codecs.Size }
)

func (invertCodec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	return invert{in}, nil
}
func (b invert) Spec() codecs.Spec                     { return spec("example.invert", "") }
func (b invert) Size() codecs.Size                     { return b.in }
func (b invert) Scratch() int                          { return 1 << 10 }
func (b invert) DecodedLength(src []byte) (int, error) { return len(src), nil }
func (b invert) AppendEncode(dst, src []byte) ([]byte, error) {
	for _, v := range src {
		dst = append(dst, ^v)
	}
	return dst, nil
}
func (b invert) AppendDecode(dst, src []byte) ([]byte, error) {
	if err := b.in.Check(len(src)); err != nil {
		return nil, err
	}
	return b.AppendEncode(dst, src)
}
func (b invert) DecodeRange(dst, src []byte, off int) error {
	_, err := b.AppendEncode(dst[:0], src[off:off+len(dst)])
	return err
}
func (b invert) Verification() codecs.Verification {
	return codecs.Verification{All: true, InPieces: true}
}
func (b invert) Verify(context.Context, codecs.Input) error { return nil }
func (b invert) VerifyInto(ctx context.Context, in codecs.Input, to io.WriteCloser) error {
	data, err := codecs.ReadAll(ctx, in)
	if err != nil {
		return err
	}
	out, _ := b.AppendEncode(nil, data)
	if _, err := to.Write(out); err != nil {
		return err
	}
	return to.Close()
}

// Each trait is implemented by a codec of this file.
var (
	_ interface {
		codecs.Elementwise
		codecs.Joining
		codecs.Regional
		codecs.OrderNaming
		codecs.Selective
		codecs.Rescaling
		codecs.Stable
		codecs.Lossy
	} = negate{}
	_ interface {
		codecs.Absorbing
		codecs.Hazardous
		codecs.Scratching
	} = halves{}
	_ interface {
		codecs.View
		codecs.Regional
	} = mirror{}
	_ codecs.Extents = mirrorCodec{}
	_ interface {
		codecs.Plain
		codecs.Alias
		codecs.Ranged
		codecs.ByteOrdered
		codecs.NearestPadded
	} = words{}
	_ interface {
		codecs.Measured
		codecs.Checking
		codecs.Verifier
	} = lines{}
	_ interface {
		codecs.Container
		codecs.InnerNaming
	} = rows{}
	_ interface {
		codecs.Enclosing
		codecs.DecodedSized
		codecs.Renamed
	} = sum{}
	_ interface {
		codecs.Blocked
		codecs.Streaming
		codecs.Scratching
	} = invert{}
)

// lineOf returns a chunk of one dimension.
func lineOf[T any](typ dtype.Type, values ...T) ndarray.Array {
	a := ndarray.New(typ, []int{len(values)})
	if _, err := binary.Encode(a.Data, binary.NativeEndian, values); err != nil {
		panic(err)
	}
	return a
}

// itemsOf returns the elements of a chunk. It is the inverse of lineOf.
func itemsOf[T any](a ndarray.Array) []T {
	values := make([]T, a.Len())
	if _, err := binary.Decode(a.Data, binary.NativeEndian, values); err != nil {
		panic(err)
	}
	return values
}

// roundTrip encodes an array and decodes it again.
func roundTrip(t *testing.T, chain *codecs.Chain, src ndarray.Array) ndarray.Array {
	t.Helper()
	var pool ndarray.Pool
	data, err := chain.AppendEncode(&pool, nil, src)
	if err != nil {
		t.Fatal(err)
	}
	got := ndarray.New(src.Type, src.Shape)
	if err := chain.Decode(&pool, got, data); err != nil {
		t.Fatal(err)
	}
	if n := pool.Lent(); n != 0 {
		t.Errorf("%d buffers were not returned", n)
	}
	return got
}

// int16s binds a chain to int16 and returns it with a chunk that counts up.
func int16s(t *testing.T, r *codecs.Registry, shape []int, list ...string) (*codecs.Chain, ndarray.Array) {
	t.Helper()
	chain, err := r.Bind(names(list...), codecs.Chunk{Type: dtype.Int16, Shape: shape, Fill: dtype.Int16.Default()})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := ndarray.Elements(shape)
	values := make([]int16, n)
	for i := range values {
		values[i] = int16(2*i + 2)
	}
	a := lineOf(dtype.Int16, values...)
	a.Shape, a.Strides = shape, ndarray.CStrides(2, shape)
	return chain, a
}

func TestOutsideFusion(t *testing.T) {
	r := outside(t)
	for _, list := range [][]string{
		{"example.negate", "example.words"},                   // stored in the bytes of another codec from outside
		{"example.negate", "bytes"},                           // stored in the bytes of a standard codec
		{"example.negate", "example.negate", "example.words"}, // joined in one loop
		{"example.negate", `cast_value {"data_type":"int32"}`, "bytes", "zstd"},
	} {
		chain, src := int16s(t, r, []int{3000}, list...)
		if got := roundTrip(t, chain, src); !bytes.Equal(got.Data, src.Data) {
			t.Errorf("%s: decoded values differ", list)
		}
		src.Data[3], src.Data[2] = 0x80, 0
		if dtype.Native == dtype.Big {
			src.Data[2], src.Data[3] = 0x80, 0
		}
		_, err := chain.AppendEncode(&ndarray.Pool{}, nil, src)
		if joined := len(list) == 3 && list[1] == list[0]; joined == (err != nil) {
			t.Errorf("%s: %v", list, err)
		} else if err != nil && !strings.Contains(err.Error(), "codecs[0] (example.negate): element [1], -32768") {
			t.Errorf("%s: %v", list, err)
		}
	}
}

func TestOutsideMemory(t *testing.T) {
	r := outside(t)
	plain, _ := int16s(t, r, []int{64}, "bytes")
	for name, want := range map[string]int{"example.halves": 1 << 20, "": 1 << 10} {
		list := []string{"bytes"}
		if name != "" {
			list = []string{name, "bytes"}
		} else {
			list = append(list, "example.invert")
		}
		chain, _ := int16s(t, r, []int{64}, list...)
		if got := chain.Memory(); got < want || got > want+4*plain.Memory() {
			t.Errorf("%s: Memory is %d bytes, the codec holds %d", list, got, want)
		}
	}
	texts := codecs.Chunk{Type: dtype.StringType, Shape: []int{3}, Fill: dtype.Scalar{}}
	chain, err := r.Bind(names("example.lines", "example.sum"), texts)
	if err != nil {
		t.Fatal(err)
	}
	a := ndarray.New(dtype.StringType, []int{3})
	words := []string{"one", "", "three"}
	i := 0
	if err := a.SetItems(func() ([]byte, error) { i++; return []byte(words[i-1]), nil }); err != nil {
		t.Fatal(err)
	}
	if got, want := chain.SizeOf(a), len("one\n\nthree\n")+4; got != want {
		t.Errorf("at most %d bytes, want %d", got, want)
	}
	i = 0
	for item := range roundTrip(t, chain, a).Items() {
		if string(item) != words[i] {
			t.Errorf("text %d is %q, not %q", i, item, words[i])
		}
		i++
	}
}

func TestOutsideValues(t *testing.T) {
	r := outside(t)
	chain, src := int16s(t, r, []int{8}, "example.halves", "example.halves", "example.words")
	if got := chain.Losses(); len(got) != 2 || got[0].AtMost != 1 || got[1].AtMost != 2 || got[1].Name != "example.halves" {
		t.Errorf("losses: %v", got)
	}
	if got := chain.Hazards(); len(got) != 2 || got[1].Codec != 1 || got[1].Name != "example.halves" {
		t.Errorf("hazards: %v", got)
	}
	if chain.Refuses() || !chain.PadsNearest() {
		t.Error("Refuses or PadsNearest differs")
	}
	if got := roundTrip(t, chain, src); got.Data[0] == src.Data[0] {
		t.Error("no loss is reported")
	}
	for _, c := range []struct {
		unstable string
		list     []string
	}{
		{"example.halves", []string{"example.halves", "bytes"}},
		{"example.negate", []string{"example.negate", "bytes"}},
		{"example.halves", []string{"example.negate", "example.halves", "bytes"}},
		{"", []string{"example.negate", `cast_value {"data_type":"int32"}`, "bytes"}},
		{"example.negate", []string{`sharding_indexed {"chunk_shape":[2],"codecs":["example.negate","bytes"]}`}},
	} {
		chain, _ := int16s(t, r, []int{4}, c.list...)
		if got := chain.Unstable(); got != c.unstable {
			t.Errorf("%s: %q is not stable, want %q", c.list, got, c.unstable)
		}
		if refuses := strings.Contains(strings.Join(c.list, ""), "negate"); chain.Refuses() != refuses {
			t.Errorf("%s: refuses values: %v", c.list, chain.Refuses())
		}
	}
	chain, _ = int16s(t, r, []int{4}, "example.negate", "example.words")
	if got := string(chain.Specs()[0].Configuration); got != `{"dtype":">i2"}` {
		t.Errorf("the type is named %s in front of big-endian words", got)
	}
}

// readCount is an Input that counts the bytes that are read.
type readCount struct {
	codecs.InMemory
	bytes int
}

func (c *readCount) GapBytes() int { return 0 }
func (c *readCount) ReadAt(ctx context.Context, p []byte, off int64) error {
	c.bytes += len(p)
	return c.InMemory.ReadAt(ctx, p, off)
}

func TestOutsideParts(t *testing.T) {
	r := outside(t)
	for _, c := range []struct {
		list []string
		most int // the most bytes that may be read for a box of four elements
	}{
		{[]string{"example.words"}, 8},
		{[]string{"example.mirror", "example.words"}, 8},
		{[]string{"example.words", "example.invert"}, 2 * 24},
		{[]string{"example.rows"}, 4*16 + 2*(2*6+4)},
		{[]string{"example.mirror", "example.rows"}, 6*16 + 2*(2*4+4)},
	} {
		chain, src := int16s(t, r, []int{4, 6}, c.list...)
		data, err := chain.AppendEncode(&ndarray.Pool{}, nil, src)
		if err != nil {
			t.Fatal(err)
		}
		in := &readCount{InMemory: data}
		dst := ndarray.New(dtype.Int16, []int{2, 2})
		if err := chain.DecodeRegion(t.Context(), &ndarray.Pool{}, dst, []int{1, 3}, in); err != nil {
			t.Errorf("%s: %v", c.list, err)
			continue
		}
		if diff := cmp.Diff([]int16{20, 22, 32, 34}, itemsOf[int16](dst)); diff != "" {
			t.Errorf("%s: %s", c.list, diff)
		}
		if in.bytes > c.most {
			t.Errorf("%s: %d bytes were read, %d are enough", c.list, in.bytes, c.most)
		}
		if got := roundTrip(t, chain, src); !bytes.Equal(got.Data, src.Data) {
			t.Errorf("%s: decoded values differ", c.list)
		}
	}
}

func TestOutsideContainer(t *testing.T) {
	r := outside(t)
	chain, _ := int16s(t, r, []int{4, 6}, "example.rows")
	if got := chain.WithInner(names("bytes")); len(got) != 1 || string(got[0].Configuration) != `{"inner":"bytes"}` {
		t.Errorf("with other inner codecs it is %s", got)
	}
	layout, ok := chain.Shards()
	if !ok || chain.Container() != "example.rows" || !cmp.Equal(layout.Count(), []int{4, 1}) || !layout.AtStart() {
		t.Fatalf("the layout is %v (%v)", layout, ok)
	}
	chain, src := int16s(t, r, []int{4, 6}, "example.mirror", "example.rows")
	layout, ok = chain.InnerChunks()
	if !ok || !cmp.Equal(layout.Count(), []int{1, 6}) || !cmp.Equal(chain.Granularity(), layout.Inner().Granularity()) {
		t.Fatalf("the layout behind a view is %v (%v)", layout, ok)
	}
	// Inner chunks that are encoded separately make the same shard.
	want, err := chain.AppendEncode(&ndarray.Pool{}, nil, src)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, layout.IndexSize())
	places := make([]codecs.Place, 6)
	for i := range places {
		at := len(got)
		if got, err = layout.Inner().AppendEncode(&ndarray.Pool{}, got, src.Sub(layout.Region(i))); err != nil {
			t.Fatal(err)
		}
		places[i] = codecs.Place{Offset: uint64(at), Length: uint64(len(got) - at)}
	}
	if _, err := layout.AppendIndex(got[:0], places); err != nil || !bytes.Equal(got, want) {
		t.Errorf("% x\n% x (%v)", got, want, err)
	}
}

func TestOutsideNames(t *testing.T) {
	chain, _ := int16s(t, outside(t), []int{8}, "example.words", "example.sum", "example.invert")
	specs, changed := chain.Former()
	if !changed || len(specs) != 3 || specs[1].Name != "example.adler32" || string(specs[1].Configuration) != `{"location":"end"}` || specs[2].Name != "example.invert" {
		t.Errorf("former names: %v, %v", specs, changed)
	}
	specs, changed = chain.Preferred()
	if changed || len(specs) != 3 || specs[1].Name != "example.sum" || chain.Specs()[1].Name != "example.sum" {
		t.Errorf("preferred names: %v, %v", specs, changed)
	}
}

func TestOutsideVerify(t *testing.T) {
	r := outside(t)
	ctx := t.Context()
	for _, list := range [][]string{
		{"example.words", "example.sum"},
		{"example.words", "example.sum", "example.invert"},
		{"bytes", "zstd", "example.sum"},
		{"example.rows"},
		{`sharding_indexed {"chunk_shape":[2,6],"codecs":["example.words","example.sum"]}`},
	} {
		chain, src := int16s(t, r, []int{4, 6}, list...)
		data, err := chain.AppendEncode(&ndarray.Pool{}, nil, src)
		if err != nil {
			t.Fatal(err)
		}
		if err := chain.Verify(ctx, codecs.InMemory(data)); err != nil {
			t.Errorf("%s: %v", list, err)
		}
		if undone := list[len(list)-1] == "example.invert"; list[0] != "bytes" && chain.VerifiesInPieces() == undone {
			t.Errorf("%s: verified in pieces: %v", list, !undone)
		}
		at := len(data) - 5
		if strings.HasPrefix(list[0], "sharding") {
			at = 3
		}
		data[at] ^= 4
		if err := chain.Verify(ctx, codecs.InMemory(data)); !errors.Is(err, codecs.ErrCorrupt) {
			t.Errorf("%s: damage is not seen: %v", list, err)
		}
	}
	// The codec in front checks what a streaming codec decodes to, whether it is a
	// standard codec or one from outside.
	texts := codecs.Chunk{Type: dtype.StringType, Shape: []int{3}, Fill: dtype.Scalar{}}
	for _, behind := range []string{"example.invert", "gzip", "zstd"} {
		chain, err := r.Bind(names("example.lines", behind), texts)
		if err != nil {
			t.Fatal(err)
		}
		more, err := r.Bind(names("example.lines", behind), codecs.Chunk{Type: dtype.StringType, Shape: []int{4}, Fill: dtype.Scalar{}})
		if err != nil {
			t.Fatal(err)
		}
		data, err := chain.AppendEncode(&ndarray.Pool{}, nil, ndarray.New(dtype.StringType, []int{3}))
		if err != nil {
			t.Fatal(err)
		}
		if err := chain.Verify(ctx, codecs.InMemory(data)); err != nil {
			t.Errorf("%s: %v", behind, err)
		}
		if err := more.Verify(ctx, codecs.InMemory(data)); !errors.Is(err, codecs.ErrCorrupt) || !strings.Contains(err.Error(), "3 lines") {
			t.Errorf("%s: %v", behind, err)
		}
	}
}

// TestOutsideDefinitions checks that codecs from outside answer what a program asks
// before it binds them.
func TestOutsideDefinitions(t *testing.T) {
	r := outside(t)
	if !r.HasContainer(names("example.mirror", "example.rows")) || r.HasContainer(names("example.mirror", "nothing", "bytes")) {
		t.Error("example.rows is a container, and nothing else is")
	}
	if shape, ok := r.Extents(spec("example.mirror", "")); !ok || !cmp.Equal(shape, []int{2, 3}) {
		t.Errorf("example.mirror suits chunks of shape %v (%v)", shape, ok)
	}
	if shape, ok := r.Extents(spec("example.words", "")); ok {
		t.Errorf("example.words suits chunks of shape %v alone", shape)
	}
	if got := r.Usual(); got != "bytes" {
		t.Errorf("%q is the usual array → bytes codec", got)
	}
	own := codecs.NewRegistry(dtype.Standard())
	d, err := r.Lookup("example.words")
	if err != nil {
		t.Fatal(err)
	}
	d.Usual = true
	if err := own.Register(d); err != nil {
		t.Fatal(err)
	}
	if err := own.Check(nil); err == nil || !strings.Contains(err.Error(), `add "example.words"`) {
		t.Errorf("a chain without codecs: %v", err)
	}
	if d, err := r.LookupV2("flipped"); err != nil || d.Name != "example.invert" {
		t.Errorf("flipped is %q (%v)", d.Name, err)
	}
	if _, err := r.LookupV2("invert"); !errors.Is(err, codecs.ErrUnknown) {
		t.Errorf("invert: %v", err)
	}
}
