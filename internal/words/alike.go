package words

import (
	"regexp"
	"strings"
)

// FoldedFrom is how many messages that are alike make one message with a count. Fewer are
// spelled out.
const FoldedFrom = 4

// variable matches what differs between messages of one kind: quoted texts, words with a
// slash, which are paths and URLs, and numbers.
var variable = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[^\s,;()]*/[^\s,;()]*|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`)

// Alike returns what a message has in common with others of its kind: the message without
// quoted texts, paths and numbers. Messages are alike if this is the same.
func Alike(message string) string { return variable.ReplaceAllString(message, "·") }

// Some lists the first few names, with an ellipsis for the others.
func Some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", …"
}
