package jobfile

import (
	"strconv"
	"strings"
)

// leastSecret is the least length, in bytes, of a value that is looked for in
// messages. A shorter one would be found in words that have nothing to do with it.
const leastSecret = 8

// secret is a value of variables that may stand in messages, and what the file says
// instead of it.
type secret struct{ value, source string }

// secrets appends those in a tree. The values of a URL are its parser's business, and
// who looks for a file wants to see its name.
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

// hide returns a message without secrets, which may have been cut short.
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
