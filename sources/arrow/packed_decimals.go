package arrow

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

const (
	scaleFactor = "scale_factor"
	// nullDecimal is the integer that is stored for a null, if readers see NaN. No decimal
	// has this integer.
	nullDecimal = 1 << 63
	// exactIntegers is the number up to which float64 holds all integers.
	exactIntegers = 1 << 53
	// exactPower is the highest power of 10 that float64 holds.
	exactPower = 22
	// decimalsPiece is how many integers become values at once.
	decimalsPiece = 1 << 14
)

// packedDecimals are integers that stand for decimals: the value of an integer is the integer
// divided by 10 to the power of scale, which is not 0. It implements [sources.Packing].
type packedDecimals struct {
	digits     int // the most that an integer has
	scale      int
	null       bool // nullDecimal stands for NaN
	attributes zarr.Attributes
}

// factor returns the attribute scale_factor.
func (p *packedDecimals) factor() json.RawMessage {
	factor, _ := strconv.ParseFloat(fmt.Sprintf("1e%d", -p.scale), 64)
	return dtype.AppendFloat(nil, factor)
}

// findings has a finding if several decimals can have the same nearest float64.
func (p *packedDecimals) findings() []cf.Finding {
	const sure = 15 // decimals of so many digits come back from float64
	if p.digits <= sure {
		return nil
	}
	return []cf.Finding{{
		Code: cf.Inexact, Message: fmt.Sprintf("decimals of %d digits become float64 values near them, which tell %d digits apart", p.digits, sure),
		Hint: "choose `cf: keep` to keep the integers",
	}}
}

// AsCodecs implements [sources.Packing].
func (p *packedDecimals) AsCodecs() (*cf.Outcome, error) {
	if p.scale < 0 {
		return nil, errors.New("decimals with a scale below 0 have no codecs that give their exact values: choose `cf: unpack` or `cf: keep`")
	}
	o := &cf.Outcome{Type: dtype.Float64, Attributes: p.attributes, Findings: p.findings()}
	scale, _ := strconv.ParseFloat(fmt.Sprintf("1e%d", p.scale), 64)
	type scalarMap struct {
		Encode [][2]json.RawMessage `json:"encode"`
		Decode [][2]json.RawMessage `json:"decode"`
	}
	cast := struct {
		Type string     `json:"data_type"`
		Map  *scalarMap `json:"scalar_map,omitempty"`
	}{Type: dtype.Int64.Name()}
	o.Fill, o.StoredFill = dtype.Float64.Default(), dtype.Int64.Default()
	if p.null {
		o.Fill, o.StoredFill = nan(), binary.NativeEndian.AppendUint64(nil, nullDecimal)
		nan, stored := json.RawMessage(`"NaN"`), dtype.Int64.FormatScalar(dtype.V3, o.StoredFill)
		cast.Map = &scalarMap{Encode: [][2]json.RawMessage{{nan, stored}}, Decode: [][2]json.RawMessage{{stored, nan}}}
	}
	o.Codecs = []codecs.Spec{
		{Name: standard.ScaleOffsetName, Configuration: object(map[string]json.RawMessage{"scale": dtype.AppendFloat(nil, scale)})},
		{Name: standard.CastValueName, Configuration: object(cast)},
	}
	o.Notes = append(o.Notes, fmt.Sprintf("decimals: their integers are stored, and codecs divide them by %s", dtype.AppendFloat(nil, scale)))
	return o, nil
}

// nan returns NaN.
func nan() dtype.Scalar { return binary.NativeEndian.AppendUint64(nil, math.Float64bits(math.NaN())) }

func object(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values contain only what JSON can have
	}
	return text
}

// unpackedDecimals is an array of the values of decimals.
type unpackedDecimals struct {
	info  *sources.Info
	array *array // the integers
	how   *packedDecimals
}

// unpacked returns the array of the values of decimals.
func (p *packedDecimals) unpacked(a *array) *unpackedDecimals {
	info := *a.info
	info.Type, info.Memory = dtype.Float64, info.Memory+8*decimalsPiece
	info.Findings = append(info.Findings, p.findings()...)
	info.Notes = append(info.Notes, "decimals become float64")
	return &unpackedDecimals{&info, a, p}
}

// Info implements [sources.Array].
func (u *unpackedDecimals) Info() *sources.Info { return u.info }

// ShareInfo implements [sources.Shared].
func (u *unpackedDecimals) ShareInfo(s *sources.Infos) {
	u.array.ShareInfo(s)
	u.info = s.Share(u.info)
}

// ReadRegion implements [sources.Array]. It reads the integers into the memory of the values.
func (u *unpackedDecimals) ReadRegion(ctx context.Context, dst ndarray.Array, start []int) error {
	if err := sources.CheckRegion(u.info, dst, start); err != nil {
		return err
	}
	integers := dst
	integers.Type = dtype.Int64
	if err := u.array.ReadRegion(ctx, integers, start); err != nil {
		return err
	}
	power, _ := strconv.ParseFloat(fmt.Sprintf("1e%d", max(u.how.scale, 0)), 64)
	digits := decimals{scale: u.how.scale, order: dtype.Native}
	for region := range ndarray.Pieces(dst.Shape, decimalsPiece) {
		piece := ndarray.New(dtype.Int64, region.Shape)
		ndarray.Copy(piece, integers.Sub(region))
		for at := 0; at < len(piece.Data); at += 8 {
			item := piece.Data[at:][:8]
			n := int64(binary.NativeEndian.Uint64(item))
			value := float64(n) / power
			switch {
			case u.how.null && n == math.MinInt64:
				value = math.NaN()
			case n > exactIntegers || n < -exactIntegers || u.how.scale < 0 || u.how.scale > exactPower:
				value, _ = strconv.ParseFloat(string(digits.item(item)), 64) // the nearest float64
			}
			binary.NativeEndian.PutUint64(item, math.Float64bits(value))
		}
		piece.Type = dtype.Float64
		ndarray.Copy(dst.Sub(region), piece)
	}
	return nil
}
