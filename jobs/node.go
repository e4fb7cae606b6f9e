package jobs

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// position is a place in a job file; line is 0 for a value from --set.
type position struct {
	file         string
	line, column int
}

type kind uint8

const (
	nullKind kind = iota
	boolKind
	numberKind
	stringKind
	listKind
	mapKind
	jsonKind // JSON that was read already; no file has one
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "a mapping", "JSON"}[k]
}

// node is a value of a job file with aliases, merge keys and environment
// variables resolved: what JSON could say, and where it stands.
type node struct {
	kind kind
	at   position
	// text is the value of a string, and the JSON spelling of a number or
	// boolean. A NaN or an infinity has the JSON string as its spelling that
	// Zarr's fill values use, with the quotes.
	text string
	// source is how the file spells a string that contains the value of a variable,
	// and "" for others. Such a string is read as a number or boolean where the field
	// wants one. Messages quote the source instead: the value may be a secret.
	source  string
	items   []*node  // of a list
	members []member // of a mapping, in file order
}

// member is a key of a mapping and its value; at is where the key stands.
type member struct {
	name  string
	at    position
	value *node
}

// get returns the value of a key of a mapping, nil where there is none.
func (n *node) get(name string) *node {
	if i := n.index(name); i >= 0 {
		return n.members[i].value
	}
	return nil
}

func (n *node) index(name string) int {
	return slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
}

// json returns the node as JSON text; numbers keep their digits.
func (n *node) json() json.RawMessage { return n.appendJSON(nil) }

func (n *node) appendJSON(b []byte) []byte {
	switch n.kind {
	case boolKind, numberKind, jsonKind:
		return append(b, n.text...)
	case stringKind:
		return append(b, quoteJSON(n.text)...)
	case listKind:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	case mapKind:
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, quoteJSON(m.name)...), ':')
			b = m.value.appendJSON(b)
		}
		return append(b, '}')
	default:
		return append(b, "null"...)
	}
}

// quoteJSON returns s as a JSON string, with <, > and & as they are.
func quoteJSON(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("jobs: a string does not encode as JSON: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// literal is n itself, or for a string that came from a variable the value
// that the same characters would have been in the file.
func (n *node) literal() *node {
	if n.kind != stringKind || n.source == "" {
		return n
	}
	k, text := resolvePlain(n.text)
	return &node{kind: k, at: n.at, text: text, source: n.source}
}

// Plain scalars of the YAML 1.2 core schema (section 10.3.2).
var (
	plainInteger = regexp.MustCompile(`^[-+]?[0-9]+$`)
	plainFloat   = regexp.MustCompile(`^([-+]?)([0-9]*)(?:\.([0-9]*))?([eE][-+]?[0-9]+)?$`)
)

// resolvePlain tells what an unquoted scalar is in YAML 1.2's core schema:
// "yes", "1_000" and dates are strings, "010" is ten.
func resolvePlain(s string) (kind, string) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nullKind, ""
	case "true", "True", "TRUE":
		return boolKind, "true"
	case "false", "False", "FALSE":
		return boolKind, "false"
	case ".nan", ".NaN", ".NAN":
		return numberKind, `"NaN"`
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return numberKind, `"Infinity"`
	case "-.inf", "-.Inf", "-.INF":
		return numberKind, `"-Infinity"`
	}
	if !strings.ContainsAny(s[:1], "-+.0123456789") {
		return stringKind, s
	}
	if plainInteger.MatchString(s) {
		sign, digits := splitSign(s)
		return numberKind, sign + trimZeros(digits)
	}
	if based, ok := basedInteger(s); ok {
		return numberKind, based
	}
	if m := plainFloat.FindStringSubmatch(s); m != nil && m[2]+m[3] != "" {
		return numberKind, strings.TrimPrefix(m[1], "+") + trimZeros(m[2]) + fraction(m[3]) + m[4]
	}
	return stringKind, s
}

// splitSign returns "-" or "" and the digits.
func splitSign(s string) (sign, digits string) {
	if s[0] == '-' {
		return "-", s[1:]
	}
	return "", strings.TrimPrefix(s, "+")
}

// trimZeros drops leading zeros, which JSON has not.
func trimZeros(digits string) string {
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "0"
	}
	return digits
}

func fraction(digits string) string {
	if digits == "" {
		return ""
	}
	return "." + digits
}

// basedInteger converts 0x and 0o integers of up to 64 digits to decimal.
func basedInteger(s string) (string, bool) {
	if len(s) < 3 || len(s) > 66 || s[0] != '0' || s[1] != 'x' && s[1] != 'o' || s[2] == '-' || s[2] == '+' {
		return "", false
	}
	base := 8
	if s[1] == 'x' {
		base = 16
	}
	v, ok := new(big.Int).SetString(s[2:], base)
	if !ok {
		return "", false
	}
	return v.String(), true
}

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
		quoted, escaped := strconv.Quote(n.text), string(quoteJSON(n.text))
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

// shown is a scalar in a message.
func (n *node) shown() string {
	if n.source != "" {
		return "the value of " + clip(n.source, 60)
	}
	return clip(string(n.json()), 60)
}

// quoted is a string, or the spelling of a number, in a message.
func (n *node) quoted() string {
	if n.source != "" || n.kind != stringKind {
		return n.shown()
	}
	return strconv.Quote(clip(n.text, 60))
}

// integer reads a number that is a 64-bit integer.
func (n *node) integer() (int64, bool) {
	if n.kind != numberKind {
		return 0, false
	}
	v, err := strconv.ParseInt(n.text, 10, 64)
	return v, err == nil
}
