package filters

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// categorizeDefinition is the filter "categorize". It stores texts as integers: 1 for the
// first label, 2 for the second, and so on. Any other integer is the empty text.
func categorizeDefinition() codecs.Definition {
	return textDefinition(categorizeName, "texts as integers", func(text json.RawMessage) (binder, error) {
		var c struct {
			Labels []json.RawMessage `json:"labels"`
			Dtype  string            `json:"dtype"`
			Astype string            `json:"astype"`
		}
		if err := codecs.ReadConfiguration(text, &c); err != nil {
			return nil, err
		}
		order, name := dtype.Little, c.Astype
		if strings.HasPrefix(name, ">") {
			order = dtype.Big
		}
		name = strings.TrimLeft(name, "<>|")
		if len(name) != 2 || !strings.Contains("ui", name[:1]) || !strings.Contains("1248", name[1:]) {
			return nil, codecs.InField("astype", unsuited(fmt.Sprintf("%.20q: want integers", c.Astype)))
		}
		return func(in codecs.Chunk) (decoder, codecs.Size, error) {
			labels := []dtype.Scalar{in.Type.Default()}
			for i, text := range c.Labels {
				label, err := in.Type.ParseScalar(dtype.V2, text)
				if err != nil {
					return nil, codecs.Size{}, codecs.Fieldf(fmt.Sprintf("labels[%d]", i), "%w", err)
				}
				labels = append(labels, label)
			}
			size := int(name[1] - '0')
			n, _ := ndarray.Elements(in.Shape)
			return categories{labels, order, size}.decode, codecs.Size{Max: n * size, Fixed: true, Item: size}, nil
		}, nil
	})
}

// categories decodes integers of a number of bytes. The empty text is in front of the labels.
type categories struct {
	labels []dtype.Scalar
	order  dtype.Order
	size   int
}

func (c categories) decode(dst ndarray.Array, src []byte) error {
	if n := dst.Len() * c.size; len(src) != n {
		return fmt.Errorf("%w: %d bytes, want %d", codecs.ErrCorrupt, len(src), n)
	}
	return dst.SetItems(func() ([]byte, error) {
		var code uint64
		for i := range c.size {
			b := src[i]
			if c.order == dtype.Little {
				b = src[c.size-1-i]
			}
			code = code<<8 | uint64(b)
		}
		src = src[c.size:]
		if code >= uint64(len(c.labels)) {
			code = 0
		}
		return c.labels[code], nil
	})
}
