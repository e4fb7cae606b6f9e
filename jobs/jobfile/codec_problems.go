package jobfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
)

// NearestCodec is a hint for a name that no codec of a registry has.
func NearestCodec(registry *codecs.Registry, name string) string {
	var names []string
	for _, d := range registry.Definitions() {
		names = append(append(names, d.Name), d.Aliases...)
	}
	for _, n := range names {
		if _, rest, ok := strings.Cut(n, "."); ok && rest == name { // numcodecs.pcodec without its prefix
			return fmt.Sprintf("did you mean %q?", n)
		}
	}
	if hint := unlessListed(DidYouMean(name, names)); hint != "" {
		return hint
	}
	return "`zmigrate codecs` lists those that are known"
}

// fieldsOf is a hint for a field that a codec does not have.
func fieldsOf(registry *codecs.Registry, codec, field string) string {
	d, err := registry.Lookup(codec)
	if err != nil {
		return ""
	}
	var names []string
	for _, f := range d.Fields {
		names = append(names, f.Name)
	}
	if hint := unlessListed(DidYouMean(field, names)); hint != "" {
		return hint
	}
	if names == nil {
		return codec + " has no fields"
	}
	return "the fields of " + codec + " are " + strings.Join(names, ", ")
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
	hint, codec := "", ""
	if of, ok := errors.AsType[*codecs.Error](err); ok {
		if of.Index >= 0 {
			field = fmt.Sprintf("%s[%d]", field, of.Index)
		}
		if errors.Is(of.Err, codecs.ErrUnknown) {
			hint = NearestCodec(registry, of.Codec)
		}
		err, codec = of.Err, of.Codec
	}
	if at, ok := errors.AsType[*codecs.FieldError](err); ok && at.Field != "" {
		field += "." + at.Field
		err = at.Err
		if errors.Is(err, codecs.ErrField) {
			hint = fieldsOf(registry, codec, at.Field)
		}
		_, several := err.(interface{ Unwrap() []error })
		if _, inner := errors.AsType[*codecs.Error](err); inner || several {
			return j.CodecProblems(field, registry, err) // of a chain within
		}
	}
	return Problems{j.Problem(field, err.Error(), hint)}
}
