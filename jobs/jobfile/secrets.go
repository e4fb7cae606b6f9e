package jobfile

import (
	"strconv"
	"strings"
)

// leastSecret is the least length, in bytes, of a value that messages are searched
// for. A shorter value would be found in words that have nothing to do with it.
const leastSecret = 8

// secret is a text that contains the value of a variable; source is how the file
// spells it.
type secret struct{ value, source string }

// secrets appends the secrets of a tree to a list. URLs are left out: messages name
// files, and the parser of a URL hides the secrets in it.
func (n *node) secrets(list []secret) []secret {
	if n.source != "" && len(n.text) >= leastSecret {
		quoted, escaped := strconv.Quote(n.text), string(QuoteJSON(n.text))
		for _, form := range []string{n.text, quoted[1 : len(quoted)-1], escaped[1 : len(escaped)-1]} {
			list = append(list, secret{form, n.source})
		}
	}
	for _, item := range n.items {
		list = item.secrets(list)
	}
	for _, m := range n.members {
		if m.name != "url" {
			list = m.value.secrets(list)
		}
	}
	return list
}

// hide replaces each secret in a message by the text that stands in the file. It also finds
// the beginning of a secret, because messages clip values.
func hide(list []secret, message string) string {
	for _, s := range list {
		var b strings.Builder
		for {
			before, after, found := strings.Cut(message, s.value[:leastSecret])
			if !found {
				break
			}
			rest := s.value[leastSecret:]
			for rest != "" && after != "" && rest[0] == after[0] {
				rest, after = rest[1:], after[1:]
			}
			b.WriteString(before + s.source)
			message = after
		}
		message = b.String() + message
	}
	return message
}
