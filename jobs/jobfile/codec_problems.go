package jobfile

import (
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/codecs"
)

// NearestCodec is a hint for a name that no codec of a registry has.
func NearestCodec(registry *codecs.Registry, name string) string {
	var names []string
	for _, d := range registry.Definitions() {
		names = append(append(names, d.Name), d.Aliases...)
	}
	if hint := unlessListed(DidYouMean(name, names)); hint != "" {
		return hint
	}
	return "`zmigrate codecs` lists those that are known"
}

// CodecProblems positions each error of a chain in err at the codec and the
// field of its configuration that are at fault. field is the field of the chain.
func (j *Job) CodecProblems(field string, registry *codecs.Registry, err error) Problems {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var ps Problems
		for _, e := range joined.Unwrap() {
			ps = append(ps, j.CodecProblems(field, registry, e)...)
		}
		return ps
	}
	hint := ""
	if of, ok := errors.AsType[*codecs.Error](err); ok {
		if of.Index >= 0 {
			field = fmt.Sprintf("%s[%d]", field, of.Index)
		}
		if errors.Is(of.Err, codecs.ErrUnknown) {
			hint = NearestCodec(registry, of.Codec)
		}
		err = of.Err
	}
	if at, ok := errors.AsType[*codecs.FieldError](err); ok && at.Field != "" {
		field += "." + at.Field
		err = at.Err
		_, several := err.(interface{ Unwrap() []error })
		if _, inner := errors.AsType[*codecs.Error](err); inner || several {
			return j.CodecProblems(field, registry, err) // of a chain within
		}
	}
	return Problems{j.Problem(field, err.Error(), hint)}
}
