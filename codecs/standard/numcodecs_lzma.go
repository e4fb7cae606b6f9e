package standard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/xz"
)

// numcodecsLZMADefinition is the codec "numcodecs.lzma". Its fields and their numbers
// are those of Python's lzma module: the formats .xz, .lzma and raw filters. The
// filters LZMA, LZMA2 and delta are supported.
func numcodecsLZMADefinition() codecs.Definition {
	return codecs.Definition{
		Name: "numcodecs.lzma", Aliases: []string{"lzma"}, Kind: codecs.KindBytesToBytes,
		Summary: "LZMA: smallest and slowest",
		Fields: []codecs.Field{
			{Name: "format", Type: "1, 2 or 3", Default: "1", Doc: "1: .xz, 2: .lzma, 3: filters without a container"},
			{Name: "check", Type: "−1, 0, 1, 4 or 10", Default: "-1", Doc: "checksum of .xz: 0 none, 1 CRC-32, 4 CRC-64, 10 SHA-256; −1 is CRC-64, and none for the other formats"},
			{Name: "preset", Type: "integer 0…9, 2147483648 more for extreme, or null", Default: "null", Doc: "how far back repetitions are found, 256 KiB to 64 MiB; null means 6; not beside filters"},
			{Name: "filters", Type: "list of objects, or null", Default: "null", Doc: "delta (id 3, dist) any number of times, and LZMA2 (id 33) or LZMA (id 4611686018427387905) with dict_size, lc, lp and pb; needed by format 3"},
		},
		Parse: parseLZMA,
	}
}

// Numbers of Python's lzma module.
const (
	lzmaDelta   = 3
	lzmaLZMA2   = 33
	lzmaLZMA1   = 0x4000000000000001
	lzmaExtreme = 1 << 31
)

// lzmaConfiguration is the configuration with all its fields.
type lzmaConfiguration struct {
	Format  int               `json:"format"`
	Check   int               `json:"check"`
	Preset  *int              `json:"preset"`
	Filters []json.RawMessage `json:"filters"`
}

func parseLZMA(text json.RawMessage) (codecs.Codec, error) {
	c := lzmaConfiguration{Format: int(xz.XZ), Check: -1}
	if err := codecs.ReadConfiguration(text, &c); err != nil {
		return nil, err
	}
	options := xz.Options{Format: xz.Format(c.Format), LC: 3, PB: 2}
	if c.Format < int(xz.XZ) || c.Format > int(xz.Raw) {
		return nil, codecs.Fieldf("format", "%d: want 1 to 3", c.Format)
	}
	if err := lzmaCheck(c.Check, &options); err != nil {
		return nil, err
	}
	if c.Preset != nil && c.Filters != nil {
		return nil, codecs.Fieldf("preset", "cannot be given together with filters: leave out one of them")
	}
	var err error
	if options.Dictionary, err = lzmaDictionary(c.Preset); err != nil {
		return nil, err
	}
	switch {
	case c.Filters != nil:
		err = lzmaFilters(c.Filters, &options)
	case options.Format == xz.Raw:
		err = codecs.Fieldf("filters", "are required for format 3, which says nothing of itself")
	}
	if err != nil {
		return nil, err
	}
	if err := options.Verify(); err != nil {
		return nil, codecs.Fieldf("filters", "%w", err)
	}
	complete, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return lzmaCodec{codecs.Spec{Name: "numcodecs.lzma", Configuration: complete}, options}, nil
}

// lzmaCheck sets the check that a number of Python's module stands for.
func lzmaCheck(check int, o *xz.Options) error {
	switch {
	case check == -1 && o.Format == xz.XZ:
		o.Check = xz.CRC64
	case check == -1 || check == int(xz.None):
	case o.Format != xz.XZ:
		return codecs.Fieldf("check", "%d: only format 1 has checks", check)
	case check == int(xz.CRC32) || check == int(xz.CRC64) || check == int(xz.SHA256):
		o.Check = xz.Check(check)
	default:
		return codecs.Fieldf("check", "%d: want -1, 0, 1, 4 or 10", check)
	}
	return nil
}

// lzmaDictionary returns the dictionary size of a preset.
func lzmaDictionary(preset *int) (int, error) {
	level := 6
	if preset != nil {
		level = *preset &^ lzmaExtreme
	}
	sizes := [...]int{256 << 10, 1 << 20, 2 << 20, 4 << 20, 4 << 20, 8 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20}
	if level < 0 || level >= len(sizes) {
		return 0, codecs.Fieldf("preset", "%d: want 0 to 9", *preset)
	}
	return sizes[level], nil
}

// lzmaFilters parses a list of filters. The last filter compresses.
func lzmaFilters(list []json.RawMessage, o *xz.Options) error {
	for i, text := range list {
		at := fmt.Sprintf("filters[%d]", i)
		var head struct {
			ID int `json:"id"`
		}
		if err := json.Unmarshal(text, &head); err != nil {
			return codecs.Fieldf(at, "want an object with an id")
		}
		last, err := i == len(list)-1, error(nil)
		switch {
		case head.ID == lzmaDelta && !last:
			err = lzmaDeltaFilter(text, o)
		case head.ID == lzmaLZMA2 && last && o.Format != xz.Alone:
			err = lzmaLastFilter(text, o)
		case head.ID == lzmaLZMA1 && last && o.Format != xz.XZ:
			o.LZMA1 = o.Format == xz.Raw
			err = lzmaLastFilter(text, o)
		case last:
			return codecs.Fieldf(at+".id", "%d: the last filter has to compress: want %d for format 1 and 3, or %d for format 2 and 3", head.ID, lzmaLZMA2, lzmaLZMA1)
		default:
			return codecs.Fieldf(at+".id", "%d: want %d, delta: other filters are not supported", head.ID, lzmaDelta)
		}
		if inner, ok := errors.AsType[*codecs.FieldError](err); ok {
			return codecs.InField(at+"."+inner.Field, inner.Err)
		}
		if err != nil {
			return codecs.InField(at, err)
		}
	}
	if len(list) == 0 {
		return codecs.Fieldf("filters", "is empty: leave it out, or name a filter that compresses")
	}
	return nil
}

func lzmaDeltaFilter(text json.RawMessage, o *xz.Options) error {
	f := struct {
		ID   int `json:"id"`
		Dist int `json:"dist"`
	}{Dist: 1}
	if err := codecs.ReadObject(text, &f); err != nil {
		return err
	}
	if f.Dist < 1 || f.Dist > xz.MaxDelta {
		return codecs.Fieldf("dist", "%d: want 1 to %d", f.Dist, xz.MaxDelta)
	}
	o.Deltas = append(o.Deltas, f.Dist)
	return nil
}

// lzmaLastFilter parses the filter that compresses. It accepts the fields that tell the
// LZMA library how to search, and ignores them.
func lzmaLastFilter(text json.RawMessage, o *xz.Options) error {
	var f struct {
		ID     int  `json:"id"`
		Preset *int `json:"preset"`
		Size   *int `json:"dict_size"`
		LC     *int `json:"lc"`
		LP     *int `json:"lp"`
		PB     *int `json:"pb"`
		Mode   *int `json:"mode"`
		Nice   *int `json:"nice_len"`
		Finder *int `json:"mf"`
		Depth  *int `json:"depth"`
	}
	if err := codecs.ReadObject(text, &f); err != nil {
		return err
	}
	var err error
	if o.Dictionary, err = lzmaDictionary(f.Preset); err != nil {
		return err
	}
	for _, set := range []struct {
		to, value *int
	}{{&o.Dictionary, f.Size}, {&o.LC, f.LC}, {&o.LP, f.LP}, {&o.PB, f.PB}} {
		if set.value != nil {
			*set.to = *set.value
		}
	}
	return nil
}

type lzmaCodec struct {
	spec    codecs.Spec
	options xz.Options
}

func (c lzmaCodec) BindBytesToBytes(in codecs.Size) (codecs.BytesToBytes, error) {
	return &lzmaBound{c, in}, nil
}

type lzmaBound struct {
	lzmaCodec
	in codecs.Size
}

func (b *lzmaBound) Spec() codecs.Spec { return b.spec }

func (b *lzmaBound) Size() codecs.Size {
	return codecs.Size{Max: xz.MaxEncodedSize(b.in.Max, b.options), Unbounded: b.in.Unbounded}
}

// Scratch implements [codecs.Scratching]. It does not count content of unbounded size.
func (b *lzmaBound) Scratch() int {
	if b.in.Unbounded {
		return xz.EncoderMemory(b.options.Dictionary, b.options)
	}
	return xz.EncoderMemory(b.in.Max, b.options)
}

func (b *lzmaBound) AppendEncode(dst, src []byte) ([]byte, error) {
	return xz.AppendEncode(dst, src, b.options)
}

func (b *lzmaBound) AppendDecode(dst, src []byte) ([]byte, error) {
	from := len(dst)
	out, err := xz.AppendDecode(dst, src, b.in.Max, b.options)
	switch {
	case errors.Is(err, xz.ErrTooLarge):
		return nil, fmt.Errorf("%w: %w", codecs.ErrTooLarge, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	return out, b.in.Check(len(out) - from)
}

// Verification implements [codecs.Verifier].
func (b *lzmaBound) Verification() codecs.Verification {
	return codecs.Verification{All: true, Checksum: b.options.Check != xz.None, Memory: 2 * b.in.Max} // the content, and the dictionary
}

// Verify implements [codecs.Verifier]. It decodes the stream and keeps nothing.
func (b *lzmaBound) Verify(ctx context.Context, in codecs.Input) error {
	data, err := codecs.ReadAll(ctx, in)
	if err == nil {
		_, err = b.AppendDecode(nil, data)
	}
	return err
}
