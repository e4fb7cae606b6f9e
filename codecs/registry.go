package codecs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Definition is an entry of a [Registry]: everything that is known of a codec before it
// has a configuration.
type Definition struct {
	Name    string
	Aliases []string // other names that are accepted for the codec
	Kind    Kind
	Summary string // one line
	Fields  []Field
	// Lossy says briefly what decoding does not give back. It is "" for a lossless
	// codec.
	Lossy string
	// V2 is the id by which Zarr v2 names a codec that makes the same bytes. It is ""
	// if the id is Name without "numcodecs." in front, or if there is no such codec.
	V2 string
	// Container says that the bound codecs have the trait [Container].
	Container bool
	// Packs says that an array → array codec makes packed values from physical values,
	// as in the CF conventions. Stored values that are packed in this way may be
	// carried through.
	Packs bool
	// ByRank says that the number of dimensions alone decides whether an array → array
	// codec can be bound. So a job is checked before its data type is known.
	ByRank bool
	// Usual says that this array → bytes codec is the default for a chain that lacks
	// one.
	Usual bool
	// Example is a configuration that suits arrays of two dimensions. It is nil if the
	// codec needs no configuration.
	Example json.RawMessage
	// Parse parses a configuration, a JSON object or nil. It refuses what is wrong
	// regardless of the chunk. The result implements the interface that belongs to
	// Kind.
	Parse func(configuration json.RawMessage) (Codec, error)
}

// Field describes one field of a codec's configuration.
type Field struct {
	Name    string
	Type    string // such as "integer 0…9"
	Default string // JSON; "" for a required field
	Doc     string
}

// Registry finds codecs by their names. Register all codecs before the first lookup;
// after that, the Registry is safe for concurrent use. The zero value is empty.
type Registry struct {
	types       *dtype.Registry
	definitions []Definition
	byName      map[string]int
}

// NewRegistry returns an empty registry for a program with the given data types.
func NewRegistry(types *dtype.Registry) *Registry { return &Registry{types: types} }

// Types returns the data types of the program. Codecs use them to read names of types
// in their configurations. Those of the zero value of Registry are the standard ones.
func (r *Registry) Types() *dtype.Registry {
	if r.types == nil {
		return dtype.Standard()
	}
	return r.types
}

// Register adds a codec. It fails if the registry has one of the codec's names already.
func (r *Registry) Register(d Definition) error {
	if d.Name == "" || d.Parse == nil || d.Kind < KindArrayToArray || d.Kind > KindBytesToBytes {
		return fmt.Errorf("codec %q: a definition needs a name, a kind and a parser", d.Name)
	}
	names := append([]string{d.Name}, d.Aliases...)
	for i, name := range names {
		if _, taken := r.byName[name]; taken || slices.Contains(names[:i], name) {
			return fmt.Errorf("codec %q is registered already", name)
		}
	}
	if r.byName == nil {
		r.byName = map[string]int{}
	}
	for _, name := range names {
		r.byName[name] = len(r.definitions)
	}
	r.definitions = append(r.definitions, d)
	return nil
}

// Definitions lists all entries in the order of their registration. The slice is
// shared; do not modify it.
func (r *Registry) Definitions() []Definition { return r.definitions }

// Lookup returns the definition with a name or an alias. The error is ErrUnknown.
func (r *Registry) Lookup(name string) (Definition, error) {
	i, ok := r.byName[name]
	if !ok {
		return Definition{}, fmt.Errorf("%w %q", ErrUnknown, name)
	}
	return r.definitions[i], nil
}

// LookupV2 returns the definition of a filter or compressor by its Zarr v2 id.
func (r *Registry) LookupV2(id string) (Definition, error) {
	for _, d := range r.definitions {
		if id != "" && d.V2 == id {
			return d, nil
		}
	}
	d, err := r.Lookup("numcodecs." + id)
	if err != nil {
		err = fmt.Errorf("%w %q", ErrUnknown, id)
	}
	return d, err
}

// HasContainer reports whether one of the specs names a [Container].
func (r *Registry) HasContainer(specs []Spec) bool {
	return slices.ContainsFunc(specs, func(s Spec) bool {
		d, err := r.Lookup(s.Name)
		return err == nil && d.Container
	})
}

// Extents reports whether a codec has the trait [Extents]. It also returns the shape
// that the trait gives.
func (r *Registry) Extents(s Spec) (shape []int, ok bool) {
	d, err := r.Lookup(s.Name)
	if err != nil {
		return nil, false
	}
	codec, err := d.Parse(s.Configuration)
	if err != nil {
		return nil, false
	}
	e, ok := codec.(Extents)
	if ok {
		shape = e.Extents()
	}
	return shape, ok
}

// Usual returns the name of the default array → bytes codec, or "" if no definition is
// the default.
func (r *Registry) Usual() string {
	i := slices.IndexFunc(r.definitions, func(d Definition) bool { return d.Usual })
	if i < 0 {
		return ""
	}
	return r.definitions[i].Name
}

// addUsual returns advice for a chain that lacks an array → bytes codec.
func (r *Registry) addUsual() string {
	if name := r.Usual(); name != "" {
		return fmt.Sprintf("add %q", name)
	}
	return "add one"
}

// Takes lists the codecs for arrays that can be bound to chunks of a data type: their
// names, in the order of registration. Codecs for bytes take what these produce.
func (r *Registry) Takes(t dtype.Type) []string {
	var names []string
	for _, d := range r.definitions {
		if _, err := d.SizeOf(Chunk{Type: t, Shape: []int{4, 4}, Fill: t.Default()}); err == nil && d.Kind != KindBytesToBytes {
			names = append(names, d.Name)
		}
	}
	return names
}

// SizeOf returns the size of a two-dimensional chunk behind the codec with its Example
// configuration. The error says why the codec does not take the chunk.
func (d Definition) SizeOf(in Chunk) (Size, error) {
	codec, err := d.Parse(d.Example)
	if err != nil {
		return Size{}, err
	}
	n, ok := ndarray.Bytes(in.Type, in.Shape)
	if !ok {
		return Size{}, fmt.Errorf("a chunk of shape %v is too large", in.Shape)
	}
	fixed := Size{Max: n, Fixed: in.Type.Size() > 0, Unbounded: in.Type.Size() == 0, Item: in.Type.Size()}
	switch c := codec.(type) {
	case ArrayToArrayCodec:
		bound, err := c.BindArrayToArray(in)
		if err != nil {
			return Size{}, err
		}
		out := bound.Encoded()
		fixed.Max, _ = ndarray.Bytes(out.Type, out.Shape)
		return fixed, nil
	case ArrayToBytesCodec:
		bound, err := c.BindArrayToBytes(in)
		if err != nil {
			return Size{}, err
		}
		return bound.Size(), nil
	case BytesToBytesCodec:
		bound, err := c.BindBytesToBytes(fixed)
		if err != nil {
			return Size{}, err
		}
		return bound.Size(), nil
	default:
		return Size{}, fmt.Errorf("codec %q is of no kind", d.Name)
	}
}

// UnmarshalJSON reads a codec as metadata state it: a bare name, or an object with name
// and configuration.
func (s *Spec) UnmarshalJSON(text []byte) error {
	var object struct {
		Name          string          `json:"name"`
		Configuration json.RawMessage `json:"configuration"`
		Must          *bool           `json:"must_understand"`
	}
	switch text = bytes.TrimSpace(text); {
	case len(text) > 0 && text[0] == '"':
		if err := json.Unmarshal(text, &object.Name); err != nil {
			return err
		}
	case len(text) > 0 && text[0] == '{':
		if err := ReadObject(text, &object); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%.60s: want a codec's name, or an object with name and configuration", text)
	}
	if object.Name == "" {
		return errors.New("a codec needs a name")
	}
	if string(object.Configuration) == "null" {
		object.Configuration = nil
	}
	*s = Spec{Name: object.Name, Configuration: object.Configuration}
	return nil
}

// MarshalJSON writes the codec as an object.
func (s Spec) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name          string          `json:"name"`
		Configuration json.RawMessage `json:"configuration,omitempty"`
	}(s))
}

// ReadObject decodes a JSON object into v, a pointer to a struct. It refuses members
// that the struct does not have. Names must match exactly, while encoding/json alone
// ignores the case of letters.
func ReadObject(text []byte, v any) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return Fieldf("", "want a JSON object: %w", err)
	}
	var known []string
	for f := range reflect.TypeOf(v).Elem().Fields() {
		known = append(known, f.Tag.Get("json"))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) {
			return Fieldf(fmt.Sprintf("%.60s", name), "%w", ErrField)
		}
	}
	err := json.Unmarshal(text, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return Fieldf(wrong.Field, "want %s, not %s", wanted(wrong.Type.Kind()), wrong.Value)
	}
	return err
}

// wanted names the JSON value that a field of a Go kind takes.
func wanted(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int:
		return "an integer"
	case reflect.Slice:
		return "an array"
	default:
		return "another type"
	}
}

// ReadConfiguration decodes a codec's configuration into v, a pointer to a struct. The
// struct has pointers for fields without a default. A missing configuration is like an
// empty object.
func ReadConfiguration(text json.RawMessage, v any) error {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	if text[0] != '{' {
		return Fieldf("", "want a JSON object")
	}
	return ReadObject(text, v)
}
