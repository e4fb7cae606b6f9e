package standard

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/jenkins"
)

// numcodecsJenkinsLookup3Definition is the codec "numcodecs.jenkins_lookup3". It
// appends Bob Jenkins' hash to the bytes.
func numcodecsJenkinsLookup3Definition() codecs.Definition {
	const name = "numcodecs.jenkins_lookup3"
	return codecs.Definition{
		Name: name, Aliases: []string{"jenkins_lookup3"}, Kind: codecs.KindBytesToBytes,
		Summary: "appends Bob Jenkins' lookup3 hash of all bytes, checked on reading",
		Fields: []codecs.Field{
			{Name: "initval", Type: "integer 0…4294967295", Default: "0", Doc: "initial value of the hash"},
			{Name: "prefix", Type: "array of integers 0…255, or null", Default: "null", Doc: "bytes that are hashed in front of the data and not stored"},
		},
		Parse: func(text json.RawMessage) (codecs.Codec, error) {
			var c struct {
				Initial int   `json:"initval"`
				Prefix  []int `json:"prefix"`
			}
			if err := codecs.ReadConfiguration(text, &c); err != nil {
				return nil, err
			}
			if c.Initial < 0 || c.Initial > math.MaxUint32 {
				return nil, codecs.Fieldf("initval", "%d: want 0 to %d", c.Initial, uint32(math.MaxUint32))
			}
			var prefix []byte
			for i, b := range c.Prefix {
				if b < 0 || b > math.MaxUint8 {
					return nil, codecs.Fieldf(fmt.Sprintf("prefix[%d]", i), "%d: want 0 to 255", b)
				}
				prefix = append(prefix, byte(b))
			}
			list, err := json.Marshal(c.Prefix)
			if err != nil {
				return nil, err
			}
			spec := codecs.Spec{Name: name, Configuration: fmt.Appendf(nil, `{"initval":%d,"prefix":%s}`, c.Initial, list)}
			sum := func(data []byte) uint32 { return jenkins.Lookup3(prefix, data, uint32(c.Initial)) }
			return checksumCodec{spec, checksum{name: "lookup3 hash", sum: sum}, false}, nil
		},
	}
}
