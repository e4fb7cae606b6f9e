package jobfile

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// maxExpanded bounds the length of a string after expansion, in bytes.
const maxExpanded = 1 << 20

// expandVariables replaces ${NAME} and ${NAME:-default} in text by the values that lookup
// returns. As in a shell, the default also replaces a variable that is set but empty. The
// default ends at the next closing brace and is not expanded. $${ stands for ${, and any
// other dollar sign for itself. ${date:…} is a date by the time now, see [date]. changed reports
// whether a variable or a date was replaced.
func expandVariables(text string, lookup func(string) (string, bool), now time.Time) (result string, changed bool, err error) {
	var b strings.Builder
	for {
		i := strings.Index(text, "${")
		if i < 0 {
			b.WriteString(text)
			return b.String(), changed, nil
		}
		if i > 0 && text[i-1] == '$' {
			b.WriteString(text[:i-1] + "${")
			text = text[i+2:]
			continue
		}
		b.WriteString(text[:i])
		inside, after, ok := strings.Cut(text[i+2:], "}")
		if !ok {
			return "", false, errors.New("${ has no closing brace")
		}
		var value string
		var err error
		if isDate(inside) {
			value, err = date(inside, now)
		} else {
			value, err = variable(inside, lookup)
		}
		if err != nil {
			return "", false, err
		}
		if b.Len()+len(value) > maxExpanded {
			return "", false, fmt.Errorf("the value is longer than %d bytes with its variables expanded", maxExpanded)
		}
		b.WriteString(value)
		text, changed = after, true
	}
}

// errUnset is the cause of an error about a variable without a value.
var errUnset = errors.New("is not set")

// variable evaluates what stands between ${ and }.
func variable(inside string, lookup func(string) (string, bool)) (string, error) {
	name, fallback, hasFallback := strings.Cut(inside, ":-")
	if !isName(name) {
		return "", fmt.Errorf("%q is not the name of an environment variable", Clip(name, 60))
	}
	value, set := lookup(name)
	switch {
	case hasFallback && value == "":
		return fallback, nil
	case !set:
		return "", fmt.Errorf("the environment variable %s %w", Clip(name, 60), errUnset)
	default:
		return value, nil
	}
}

func isName(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
