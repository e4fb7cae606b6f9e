package combine

import (
	"encoding/json"
	"maps"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
)

// joinsLimits reports whether a joined variable gets an attribute from all of its parts. An
// actual_range says which values there are, so that of one part is wrong for the whole.
// valid_min and its like may differ only if each file counts its times from another moment,
// or if the job asks for those of the first file.
func joinsLimits(v *variable, attribute string) bool {
	return v.joined && cf.IsLimit(attribute) && v.parts[v.first()].Info().Attributes.Get(attribute) != nil &&
		(attribute == "actual_range" || v.rebased != "")
}

// joinLimits gives info, the description of the first part of a variable, limits that hold
// in all parts. It leaves out a limit that a part lacks, or that cannot be compared.
func joinLimits(v *variable, info *sources.Info) {
	first := v.parts[0].Info()
	for _, a := range first.Attributes {
		if !joinsLimits(v, a.Name) {
			continue
		}
		value, t, ok := joinedLimit(v, a.Name)
		if !ok {
			v.note("the attribute %s is left out, because not all files have such limits", a.Name)
		}
		if string(value) == string(a.Value) && t == info.AttributeTypes[a.Name] {
			continue
		}
		info.FirstLimits = first.Attributes
		info.Attributes = info.Attributes.With(a.Name, value)
		if info.AttributeTypes[a.Name] != t {
			info.AttributeTypes = maps.Clone(info.AttributeTypes)
			delete(info.AttributeTypes, a.Name)
		}
	}
}

// joinedLimit returns a limit that holds in all parts of a variable, and the type of its
// numbers if all parts have that type. Otherwise the type is nil. It returns false if there
// is no such limit.
func joinedLimit(v *variable, name string) (value json.RawMessage, t dtype.Type, ok bool) {
	seen := v.parts[0].Info()
	value, t = seen.Attributes.Get(name), seen.AttributeTypes[name]
	for _, p := range v.parts[1:] {
		info := p.Info()
		if info == seen {
			continue // parts with equal descriptions share one
		}
		seen = info
		own, u := info.Attributes.Get(name), info.AttributeTypes[name]
		if value, ok = cf.JoinLimits(name, value, own, t, u); !ok {
			return nil, nil, false
		}
		if t != nil && (u == nil || !dtype.Same(t, u)) {
			t = nil
		}
	}
	return value, t, true
}
