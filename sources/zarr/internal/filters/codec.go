package filters

import (
	"encoding/json"
	"errors"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// Names of the codecs, which numcodecs does not give them: it has no codecs of Zarr v3 for them.
const (
	prefix         = "numcodecs."
	base64Name     = prefix + "base64"
	categorizeName = prefix + "categorize"
	jsonName       = prefix + "json2"
	msgpackName    = prefix + "msgpack2"
)

// errReadOnly is the error of everything that encodes.
var errReadOnly = errors.New("zmigrate does not write this filter of Zarr v2")

// unsuited is an error about an array that numcodecs reads and this program does not.
type unsuited string

func (u unsuited) Error() string { return string(u) }

// Is reports that the error is one of [errors.ErrUnsupported].
func (unsuited) Is(target error) bool { return target == errors.ErrUnsupported }

// texts is a filter that turns an array of texts into bytes.
type texts struct {
	spec codecs.Spec
	bind binder
}

// A binder binds a filter to chunks of texts. It returns the function that decodes them, and
// the size of what the function decodes.
type binder func(in codecs.Chunk) (decoder, codecs.Size, error)

type decoder func(dst ndarray.Array, src []byte) error

// textDefinition is the definition of a filter of texts. parse reads the configuration.
func textDefinition(name, summary string, parse func(text json.RawMessage) (binder, error)) codecs.Definition {
	return codecs.Definition{
		Name: name, Kind: codecs.KindArrayToBytes, Summary: summary,
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			if text == nil {
				text = json.RawMessage(`{}`)
			}
			bind, err := parse(text)
			return texts{codecs.Spec{Name: name, Configuration: text}, bind}, err
		},
	}
}

func (c texts) BindArrayToBytes(in codecs.Chunk) (codecs.ArrayToBytes, error) {
	if in.Type != dtype.StringType && in.Type.Name() != dtype.FixedUTF32(1).Name() {
		return nil, unsuited("data type " + in.Type.Name() + ": want texts")
	}
	n, ok := ndarray.Elements(in.Shape)
	if !ok || n > codecs.MaxVariable/4 {
		return nil, codecs.Fieldf("", "a chunk of shape %v has too many elements", in.Shape)
	}
	decode, size, err := c.bind(in)
	return bound{c.spec, size, decode}, err
}

// bound is a filter of texts, bound to chunks.
type bound struct {
	spec   codecs.Spec
	size   codecs.Size
	decode decoder
}

func (b bound) Spec() codecs.Spec { return b.spec }
func (b bound) Size() codecs.Size { return b.size }

func (b bound) AppendEncode([]byte, ndarray.Array) ([]byte, error) { return nil, errReadOnly }
func (b bound) Decode(dst ndarray.Array, src []byte) error         { return b.decode(dst, src) }
