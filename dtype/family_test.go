package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestRegister(t *testing.T) {
	var r Registry
	if err := r.Register(Family{Name: "raw_bytes", Aliases: []string{"two"}, Example: RawBytes(2),
		ParseV3: func(json.RawMessage) (Type, error) { return RawBytes(2), nil }}); err != nil {
		t.Fatal(err)
	}
	if got, err := r.ParseV3([]byte(`"two"`)); err != nil || got.Size() != 2 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []Family{{}, {Name: "x"}, {Name: "raw_bytes", Example: RawBytes(2)}, {Name: "int8", Aliases: []string{"two"}, Example: Int8}} {
		if err := r.Register(bad); err == nil {
			t.Errorf("%q was registered", bad.Name)
		}
	}
	if _, err := r.ParseV3([]byte(`"int8"`)); !errors.Is(err, ErrUnknown) {
		t.Errorf("a refused family left its name: %v", err)
	}
	for _, f := range Standard().Families() {
		if f.Summary == "" || f.Example == nil {
			t.Errorf("%s has no summary or example", f.Name)
		}
	}
}

// box is an Object from outside the package: elements of any length.
type box struct{ Object }

func (box) Name() string                 { return "example.box" }
func (box) V2Filter() string             { return "example-box" }
func (box) V3() (json.RawMessage, error) { return json.RawMessage(`"example.box"`), nil }

// A type of variable size from outside the package is found by its filter, as our own
// are.
func TestRegisterObject(t *testing.T) {
	r := Standard()
	typ := box{BytesType}
	if err := r.Register(Family{Name: typ.Name(), Example: typ, ParseV3: plain(typ)}); err != nil {
		t.Fatal(err)
	}
	if got, order, err := r.ParseV2([]byte(`"|O"`), "example-box"); err != nil || got != Type(typ) || order != NoOrder {
		t.Errorf("in v2: %v, %v (%v)", got, order, err)
	}
	if got, err := r.ParseV3([]byte(`"example.box"`)); err != nil || got != Type(typ) {
		t.Errorf("in v3: %v (%v)", got, err)
	}
	if _, err := Struct(Field{Name: "a", Type: typ}); err == nil || !strings.Contains(err.Error(), "no fixed size") {
		t.Errorf("as a field: %v", err)
	}
	again := stranger{Object: StringType}
	err := r.Register(Family{Name: again.Name(), Example: again, ParseV3: plain(again)})
	if err == nil || !strings.Contains(err.Error(), `"vlen-utf8" of Zarr v2 stands for string already`) {
		t.Errorf("a filter that is taken: %v", err)
	}
}

// stranger is an Object with a filter of ours.
type stranger struct{ Object }

func (stranger) Name() string { return "stranger" }

// The example of a family has the name of the family.
func TestExampleNames(t *testing.T) {
	parse := func(name string) (Type, bool, error) {
		var n int
		_, err := fmt.Sscanf(name, "opaque<%d>", &n)
		return RawBytes(max(1, n)), err == nil, nil
	}
	for _, bad := range []Family{
		{Name: "mine", Example: Int8},
		{Name: "mine", Example: Int8, WrittenAs: "int16"},
		{Name: "mine", Example: Int8, ParseName: parse},
	} {
		if err := new(Registry).Register(bad); err == nil || !strings.Contains(err.Error(), "example is called int8") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if err := new(Registry).Register(Family{Name: "byte", Example: Int8, WrittenAs: "int8", ParseV3: plain(Int8)}); err != nil {
		t.Error(err)
	}
}

func TestFamilyOf(t *testing.T) {
	r := Standard()
	for _, f := range r.Families() {
		want := f.Name
		if f.WrittenAs != "" {
			want = f.WrittenAs
		}
		if got, ok := r.FamilyOf(f.Example); !ok || got.Name != want {
			t.Errorf("%s is of the family %q, %v, want %s", f.Example.Name(), got.Name, ok, want)
		}
	}
	for typ, want := range map[Type]string{RawBits(7): "r*", RawBytes(7): "raw_bytes", must(Datetime64("D", 3)): "numpy.datetime64"} {
		if got, ok := r.FamilyOf(typ); !ok || got.Name != want {
			t.Errorf("%s is of the family %q, %v, want %s", typ.Name(), got.Name, ok, want)
		}
	}
	if f, ok := new(Registry).FamilyOf(RawBits(2)); ok {
		t.Errorf("an empty registry has the family %s", f.Name)
	}
	if f, ok := r.FamilyOf(stranger{Object: StringType}); ok {
		t.Errorf("a type from outside is of the family %s", f.Name)
	}
}

// A registry finds the types that are registered in it, and no others.
func TestRegistriesAreIndependent(t *testing.T) {
	for _, text := range []string{`"r16"`, `"int8"`, `"struct"`} {
		if typ, err := new(Registry).ParseV3([]byte(text)); !errors.Is(err, ErrUnknown) {
			t.Errorf("an empty registry reads %s as %v (%v)", text, typ, err)
		}
	}
	families := Standard().Families()
	var mine Registry
	for _, name := range []string{"struct", "structured", "r*", "uint8"} {
		i := slices.IndexFunc(families, func(f Family) bool { return f.Name == name })
		if err := mine.Register(families[i]); err != nil {
			t.Fatal(err)
		}
	}
	if typ, err := mine.ParseV3([]byte(`"r24"`)); err != nil || !Same(typ, RawBits(3)) {
		t.Errorf("r24: %v (%v)", typ, err)
	}
	outside := foreign{RawBytes(3)}
	if err := mine.Register(Family{Name: outside.Name(), Example: outside, ParseV3: plain(outside)}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"struct", "structured"} {
		record := func(inner string) []byte {
			return fmt.Appendf(nil, `{"name":%q,"configuration":{"fields":[{"name":"x","data_type":%q}]}}`, name, inner)
		}
		typ, err := mine.ParseV3(record("foreign"))
		if err != nil || typ.Size() != 3 {
			t.Errorf("%s of a type of this registry: %v (%v)", name, typ, err)
		}
		if typ, err := mine.ParseV3(record("int8")); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s of a type of another registry: %v (%v)", name, typ, err)
		}
	}
}

func TestNotes(t *testing.T) {
	r := Standard()
	inner := must(Struct(Field{Name: "s", Type: NullTerminated(2)}, Field{Name: "r", Type: RawBits(1)}))
	notes := r.Notes(must(Struct(Field{Name: "a", Type: Int8}, Field{Name: "in", Type: inner}, Field{Name: "again", Type: NullTerminated(3)})))
	want := []string{"data type struct: zarr-python reads it from version 3.2 on", "data type null_terminated_bytes: not in the registry", "data type r*: zarr-python does not read r*"}
	if !slices.EqualFunc(notes, want, strings.HasPrefix) {
		t.Errorf("%q, want %q", notes, want)
	}
	if notes := r.Notes(Float32); notes != nil {
		t.Errorf("float32: %q", notes)
	}
}

// A size that no element has is a mistake of the calling program.
func TestSizePanics(t *testing.T) {
	for name, build := range map[string]func(int) Type{
		"r*": RawBits, "raw_bytes": RawBytes, "null_terminated_bytes": NullTerminated,
		"fixed_length_utf32": func(bytes int) Type { return FixedUTF32(bytes / 4) },
	} {
		build(MaxSize)
		for _, bytes := range []int{0, -4, MaxSize + 4, 1 << 62} {
			if got := panicOf(func() { build(bytes) }); !strings.Contains(got, "data type "+name+" of ") {
				t.Errorf("%s of %d bytes: panic %q", name, bytes, got)
			}
		}
	}
	for _, order := range []Order{NoOrder, Mixed} {
		if got := panicOf(func() { Swapper(Float32, order) }); !strings.Contains(got, "byte order "+order.String()+" of elements of data type float32") {
			t.Errorf("words in order %v: panic %q", order, got)
		}
	}
	record := must(Struct(Field{Name: "x", Type: Int16}))
	if got := panicOf(func() { Swapper(record, NoOrder) }); !strings.Contains(got, "struct") {
		t.Errorf("a record without byte order: panic %q", got)
	}
	if Swapper(Uint8, NoOrder) != nil {
		t.Error("something to swap in single bytes")
	}
}

// panicOf returns the text with which f panics, "" if it does not panic.
func panicOf(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
