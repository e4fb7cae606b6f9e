package codecs

import "encoding/json"

// numcodecsGzipDefinition is the codec "numcodecs.gzip": the bytes of "gzip"
// with another default of the level.
func numcodecsGzipDefinition() Definition {
	d := gzipDefinition()
	d.Name = "numcodecs.gzip"
	d.Fields[0].Default = "1"
	d.Parse = func(text json.RawMessage) (Codec, error) {
		c := struct {
			Level int `json:"level"`
		}{Level: 1}
		if err := configuration(text, &c); err != nil {
			return nil, err
		}
		if c.Level < 0 || c.Level > 9 {
			return nil, field("level", "%d: want 0 to 9", c.Level)
		}
		return renamedCodec{gzipCodec{c.Level}, d.Name}, nil
	}
	return d
}

// renamedCodec is a codec that writes another name into its Spec.
type renamedCodec struct {
	BytesToBytesCodec
	name string
}

func (c renamedCodec) BindBytesToBytes(in Size) (BytesToBytes, error) {
	bound, err := c.BytesToBytesCodec.BindBytesToBytes(in)
	return renamed{bound, c.name}, err
}

type renamed struct {
	BytesToBytes
	name string
}

func (r renamed) Spec() Spec {
	return Spec{Name: r.name, Configuration: r.BytesToBytes.Spec().Configuration}
}
