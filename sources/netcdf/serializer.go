package netcdf

import (
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// serializer returns the codec that turns elements into bytes. Words have the byte
// order of the file.
func serializer(t dtype.Type, order dtype.Order) codecs.Spec {
	if o, ok := t.(dtype.Object); ok {
		return codecs.Spec{Name: o.V2Filter()}
	}
	if order == dtype.NoOrder || order == dtype.Mixed {
		return codecs.Spec{Name: standard.BytesName}
	}
	endian := "little"
	if order == dtype.Big {
		endian = "big"
	}
	return codecs.Spec{Name: standard.BytesName, Configuration: fmt.Appendf(nil, `{"endian":%q}`, endian)}
}
