package e2e

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// castCodec binds cast_value to chunks that have no fill value.
func castCodec(t *testing.T, configuration json.RawMessage, in dtype.Type, elements int) codecs.ArrayToArray {
	t.Helper()
	definition, err := standard.Registry(dtype.Standard()).Lookup("cast_value")
	if err != nil {
		t.Fatal(err)
	}
	codec, err := definition.Parse(configuration)
	if err != nil {
		t.Fatalf("%s: %v", configuration, err)
	}
	bound, err := codec.(codecs.ArrayToArrayCodec).BindArrayToArray(codecs.Chunk{Type: in, Shape: []int{elements}})
	if err != nil {
		t.Fatalf("%s of %s: %v", configuration, in.Name(), err)
	}
	return bound
}

// hexElements reads little-endian elements, because the interop tests run on
// little-endian machines.
func hexElements(t *testing.T, typ dtype.Type, text string) ndarray.Array {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ndarray.View(typ, []int{len(data) / typ.Size()}, data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// spelled returns an element as metadata spell it. All NaNs are spelled in the same
// way.
func spelled(a ndarray.Array, i int) string {
	size := a.Type.Size()
	text := string(a.Type.FormatScalar(dtype.V3, a.Data[i*size:(i+1)*size]))
	if len(text) > 2 && text[:3] == `"0x` {
		return `"NaN"`
	}
	return text
}

// TestInteropCastValue lets cast-value-rs cast random elements between all of its
// types, in all modes and with scalar maps. It compares the results and, one by one,
// the refused elements.
func TestInteropCastValue(t *testing.T) {
	t.Parallel()
	const count = 3000
	p := findPeers(t)
	cmd, stderr := p.command(t, "cast_cases.py", interopSeed, fmt.Sprint(count))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	var cases []struct {
		Type          json.RawMessage
		Configuration json.RawMessage
		In, Out       string
		Refused       []string
	}
	if err := json.Unmarshal(out, &cases); err != nil || len(cases) != count {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	types, elements, refused := dtype.Standard(), 0, 0
	for _, c := range cases {
		in, err := types.ParseV3(c.Type)
		if err != nil {
			t.Fatal(err)
		}
		src := hexElements(t, in, c.In)
		codec := castCodec(t, c.Configuration, in, src.Len())
		want := hexElements(t, codec.Encoded().Type, c.Out)
		got := ndarray.New(want.Type, want.Shape)
		if err := codec.Encode(got, src); err != nil {
			t.Errorf("%s of %s: %v", c.Configuration, in.Name(), err)
			continue
		}
		elements += want.Len()
		for i := range want.Len() {
			if got, want := spelled(got, i), spelled(want, i); got != want {
				t.Errorf("%s of %s: %s becomes %s, and %s in cast-value-rs", c.Configuration, in.Name(), spelled(src, i), got, want)
			}
		}
		for _, text := range c.Refused {
			src := hexElements(t, in, text)
			refused++
			if err := castCodec(t, c.Configuration, in, 1).Encode(ndarray.New(want.Type, src.Shape), src); !errors.Is(err, dtype.ErrOutOfRange) {
				t.Errorf("%s of %s: %s is cast (%v), and refused by cast-value-rs", c.Configuration, in.Name(), spelled(src, 0), err)
			}
		}
	}
	t.Logf("%d cases, %d elements cast and %d refused", len(cases), elements, refused)
}

// TestInteropCastSpeed measures casts of float64 on one core, and cast-value-rs
// in the same run, in turns.
func TestInteropCastSpeed(t *testing.T) {
	const elements, turns = 1 << 20, 3
	p := findPeers(t)
	src := ndarray.New(dtype.Float64, []int{elements})
	values, _ := ndarray.As[float64](src)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range values {
		values[i] = random.NormFloat64() * 1000
	}
	type measured struct {
		File       string           `json:"file"`
		Source     string           `json:"source"`
		Target     string           `json:"target"`
		OutOfRange *string          `json:"out_of_range"`
		Entries    [][2]json.Number `json:"entries"`
	}
	clamp, file := "clamp", write(t, t.TempDir(), "float64", src.Data)
	few := [][2]json.Number{{"-9999", "-32768"}}
	// The least ratios of our speed to theirs. Where floats become narrower floats,
	// both have one instruction for each element, and theirs handles more elements at
	// once.
	wants := []float64{3, 3, 3, 2.5, 0.2}
	cases := []measured{
		{file, "float64", "int16", nil, [][2]json.Number{}},
		{file, "float64", "int16", &clamp, [][2]json.Number{}},
		{file, "float64", "int16", nil, few},
		{file, "float64", "int16", &clamp, append(few, [2]json.Number{"9999", "32767"}, [2]json.Number{"1e20", "32766"})},
		{file, "float64", "float32", nil, [][2]json.Number{}},
	}
	list, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	ours, ratios := make([][]float64, len(cases)), make([][]float64, len(cases))
	for range turns {
		cmd, stderr := p.command(t, "cast_speed.py", string(list))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		var theirs []float64
		if err := json.Unmarshal(bytes.TrimSpace(out), &theirs); err != nil {
			t.Fatal(err)
		}
		for i, c := range cases {
			configuration, err := json.Marshal(map[string]any{"data_type": c.Target, "out_of_range": c.OutOfRange, "scalar_map": map[string]any{"encode": c.Entries}})
			if err != nil {
				t.Fatal(err)
			}
			codec := castCodec(t, configuration, src.Type, elements)
			dst := ndarray.New(codec.Encoded().Type, src.Shape)
			seconds := shortest(t, func() error { return codec.Encode(dst, src) })
			ours[i], ratios[i] = append(ours[i], seconds), append(ratios[i], theirs[i]/seconds)
		}
	}
	for i, c := range cases {
		text := fmt.Sprintf("%s to %s, out of range %s, %d keys", c.Source, c.Target, outOfRangeName(c.OutOfRange), len(c.Entries))
		t.Logf("%s: %.2f GB/s, %.1f × cast-value-rs", text, float64(len(src.Data))/1e9/median(ours[i]), median(ratios[i]))
		if median(ratios[i]) < wants[i] {
			t.Errorf("%s: %.1f times as fast as cast-value-rs, want %g", text, median(ratios[i]), wants[i])
		}
	}
}

// outOfRangeName says how numbers out of range are handled.
func outOfRangeName(outOfRange *string) string {
	if outOfRange == nil {
		return "refused"
	}
	return *outOfRange
}
