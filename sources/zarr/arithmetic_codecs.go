package zarr

import (
	"fmt"

	"github.com/zmigrate/zmigrate/internal/cf"
)

// arithmeticCodecs are the arithmetic codecs of an array whose codecs the target keeps.
// The source reads the stored elements behind these codecs: if it decoded values and
// encoded them again, they could change by a rounding step.
type arithmeticCodecs struct{ outcome cf.Outcome }

// AsCodecs implements [sources.Packing].
func (k *arithmeticCodecs) AsCodecs() (*cf.Outcome, error) { return &k.outcome, nil }

// readArithmetic makes an array, whose codecs begin with scale_offset or cast_value, an
// array of the elements that these codecs store. In shards it looks at the codecs of
// the inner chunks. The array stays unchanged if the codecs cannot encode its fill
// value.
func (a *array) readArithmetic() error {
	specs, chain := a.chain.Specs(), a.chain
	layout, sharded := chain.Shards()
	if sharded {
		chain = layout.Inner()
		specs = chain.Specs()
	}
	n := 0
	for a.isArithmetic(specs[n].Name) {
		n++
	}
	stored := chain.Stage(n)
	if n == 0 || stored.Fill == nil || a.reorder != nil || sharded && a.info.Shards == nil {
		return nil
	}
	rest := specs[n:]
	if sharded {
		if rest = a.chain.WithInner(rest); rest == nil {
			return nil
		}
		stored.Shape = a.grid.Chunk
	}
	bound, err := a.source.chains.Bind(rest, stored)
	if err != nil {
		return err
	}
	a.info.Packing = &arithmeticCodecs{cf.Outcome{
		Type: a.info.Type, Fill: a.fill, StoredFill: stored.Fill, Attributes: a.info.Attributes, Codecs: specs[:n],
		Notes: []string{fmt.Sprintf("values of %s; the stored %s stay as they are", a.info.Type.Name(), stored.Type.Name())},
	}}
	a.decodedBy(bound, stored.Fill)
	a.info.Type, a.info.Fill, a.info.Codecs = stored.Type, stored.Fill, bound.Specs()
	return nil
}

// isArithmetic reports whether a codec, given by its name or an alias, computes values.
func (a *array) isArithmetic(name string) bool {
	d, err := a.source.codecs.Lookup(name)
	return err == nil && d.Packs
}

// keeps reports whether the target keeps the codecs of an array.
func (s *source) keeps(a *array, mode cf.Mode) bool {
	scaled := a.info.Attributes.Get("scale_factor") != nil || a.info.Attributes.Get("add_offset") != nil
	return s.kept != nil && (mode == cf.Keep || !scaled) && s.kept(a.path, a.info.Type)
}
