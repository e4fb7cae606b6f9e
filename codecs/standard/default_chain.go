package standard

import (
	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// DefaultChain returns the default codecs for arrays of a data type: the array → bytes
// codec that the type needs, and zstd at level 3.
func DefaultChain(t dtype.Type) []codecs.Spec {
	serializer := BytesName
	if o, ok := t.(dtype.Object); ok {
		serializer = o.V2Filter()
	}
	return []codecs.Spec{{Name: serializer}, {Name: ZstdName, Configuration: []byte(`{"level":3}`)}}
}
