package jobfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/sources"
)

// Bounds on a job file, so that none can exhaust memory or time.
const (
	maxFile  = 4 << 20 // bytes of a file
	maxDepth = 100     // levels of lists and mappings
	// maxWeight bounds a document with its aliases and merge keys written
	// out: each value weighs nodeWeight and the bytes of its text.
	maxWeight  = 32 << 20
	nodeWeight = 64
)

// reader turns YAML text into nodes. It reports what no field can accept:
// broken syntax, duplicate keys, unset variables, files that expand too far.
type reader struct {
	file     string
	inFile   bool // positions have lines; false for --set
	lookup   func(string) (string, bool)
	now      time.Time       // of dates, in UTC
	formats  sources.Drivers // known, for what is no text
	problems *collector
	weight   int
	count    int      // of included files
	included []string // files that were read
	tooLarge bool
	open     map[*yaml.Node]bool // anchors that are being written out
}

// read returns the document in text, nil when it has none that can be used.
func (r *reader) read(text []byte) *node {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !r.checkText(text) {
		return nil
	}
	if json.Valid(text) {
		text = joinSurrogates(text)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		r.syntax(text, err)
		return nil
	}
	if err := decoder.Decode(&next); err == nil {
		r.report(r.position(&next), nil, "a second document begins here; a job file holds one", "")
	} else if !errors.Is(err, io.EOF) {
		r.syntax(text, err)
	}
	r.open = map[*yaml.Node]bool{}
	n := r.value(doc.Content[0], nil, 0)
	if r.tooLarge {
		r.report(position{r.file, 0, 0}, nil,
			fmt.Sprintf("the document is too large with its aliases written out (more than %d MiB)", maxWeight>>20), "")
		return nil
	}
	return n
}

// surrogates is a character beyond the first 65,536 as JSON escapes it.
var surrogates = words.Pattern(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`)

// joinSurrogates writes pairs of JSON escapes the way YAML, which has no such
// pairs, escapes one character.
func joinSurrogates(text []byte) []byte {
	return surrogates().ReplaceAllFunc(text, func(pair []byte) []byte {
		var s string
		if json.Unmarshal(slices.Concat([]byte(`"`), pair, []byte(`"`)), &s) != nil {
			return pair
		}
		r, _ := utf8.DecodeRuneInString(s)
		return fmt.Appendf(nil, `\U%08x`, r)
	})
}

// checkText reports text that is too long or no text at all. It says so if the text is data.
func (r *reader) checkText(text []byte) bool {
	refuse := func(at position, message, hint string) {
		if what, data := r.formats.Reads(text); data {
			at, message, hint = position{file: r.file}, "it is "+what+", and no job file", "zmigrate init writes a job for it; zmigrate copy migrates it without one"
		}
		r.report(at, nil, message, hint)
	}
	if len(text) > maxFile {
		refuse(position{file: r.file}, fmt.Sprintf("the file is larger than %d MiB, too large for a job file", maxFile>>20), "")
		return false
	}
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		message, hint := "", "save the job file as UTF-8"
		switch {
		case c == 0:
			message = "a NUL byte; this is not a text file"
		case c == utf8.RuneError && size == 1:
			message = fmt.Sprintf("byte 0x%02x is not UTF-8 text", text[i])
		case !inYAML(c):
			message, hint = fmt.Sprintf("the control character U+%04X", c), fmt.Sprintf(`in double quotes it is written "\u%04x"`, c)
		}
		if message != "" {
			refuse(r.offset(text, i), message, hint)
			return false
		}
		i += size
	}
	return true
}

// inYAML reports whether a character may stand in a YAML file as it is (YAML 1.2,
// section 5.1). A byte order mark is one in front alone.
func inYAML(c rune) bool {
	return c >= 0x20 && c < 0x7f || c == '\t' || c == '\n' || c == '\r' || c == 0x85 ||
		c >= 0xa0 && c < 0xfffe && c != 0xfeff || c > 0xffff
}

// offset is the position of the byte i of a text.
func (r *reader) offset(text []byte, i int) position {
	before := text[:i]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return position{r.file, line, column}
}

// A syntax error of the YAML library has its line, or the name of an unknown anchor, only in
// its text. Errors of the library's parser count lines from 0, errors of its scanner from 1.
var (
	syntaxLine    = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?`)
	fromZero      = regexp.MustCompile(`^(did not find expected (<document start>|node content|key|'-' indicator|',' or)|found undefined tag handle)`)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

func (r *reader) syntax(document []byte, err error) {
	text := err.Error()
	at := position{r.file, 1, 1}
	if m := syntaxLine.FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		if line, err := strconv.Atoi(m[1]); err == nil {
			at.line = line
			if fromZero.MatchString(text) {
				at.line++
			}
		}
	}
	if m := unknownAnchor.FindStringSubmatch(text); m != nil {
		at = r.offset(document, max(0, bytes.Index(document, []byte("*"+m[1]))))
	}
	hint := syntaxHint(text)
	if lines := bytes.Split(document, []byte("\n")); at.line <= len(lines) && bytes.HasPrefix(bytes.TrimLeft(lines[at.line-1], " "), []byte("\t")) {
		hint = "the line begins with a tab: YAML takes only spaces for indentation"
	}
	r.report(at, nil, "not valid YAML: "+text, hint)
}

// syntaxHint says what to write in place of what a syntax error is about, or "".
func syntaxHint(text string) string {
	for _, known := range []struct{ part, hint string }{
		{"did not find expected alphabetic or numeric", "a text that begins with * or & stands in quotes"},
		{"unknown anchor", "a text that begins with * or & stands in quotes"},
		{"found unknown escape character", "in double quotes, a backslash begins an escape: use single quotes"},
		{"mapping values are not allowed", "keys of one mapping begin in the same column, and a text with a colon and a blank stands in quotes"},
		{"did not find expected key", "keys of one mapping begin in the same column"},
		{"cannot start any token", "a text that begins with a character such as @, % or ` stands in quotes"},
	} {
		if strings.Contains(text, known.part) {
			return known.hint
		}
	}
	return ""
}

func (r *reader) position(y *yaml.Node) position { return position{r.file, y.Line, y.Column} }

func (r *reader) report(at position, field *trail, message, hint string) {
	if !r.inFile {
		at.line, at.column = 0, 0
	}
	r.problems.add(Problem{File: at.file, Line: at.line, Column: at.column, Field: field.String(), Message: message, Hint: hint})
}

// charge adds to the weight of the document; false means to give up.
func (r *reader) charge(text string) bool {
	r.weight += nodeWeight + len(text)
	r.tooLarge = r.tooLarge || r.weight > maxWeight
	return !r.tooLarge
}

// value converts one YAML node. After a problem it returns null, and reading
// goes on behind it.
func (r *reader) value(y *yaml.Node, at *trail, depth int) *node {
	n := &node{at: r.position(y)}
	if !r.inFile {
		n.at.line, n.at.column = 0, 0
	}
	if !r.charge(y.Value) {
		return n
	}
	if depth > maxDepth {
		r.report(n.at, nil, fmt.Sprintf("nested more than %d levels deep", maxDepth), "")
		return n
	}
	switch y.Kind {
	case yaml.AliasNode:
		if r.open[y.Alias] {
			r.report(n.at, at, "the alias *"+Clip(y.Value, 60)+" stands inside of what it names", "")
			return n
		}
		return r.value(y.Alias, at, depth+1)
	case yaml.ScalarNode:
		r.scalar(n, y, at)
		return n
	}
	r.open[y] = true
	defer delete(r.open, y)
	if want := map[yaml.Kind]string{yaml.SequenceNode: "!!seq", yaml.MappingNode: "!!map"}[y.Kind]; y.Tag != want {
		r.report(n.at, at, "the tag "+Clip(y.Tag, 60)+" has no meaning in a job file", "")
		return n
	}
	if y.Kind == yaml.MappingNode {
		n.kind = mapKind
		r.mapping(n, y, at, depth)
		return n
	}
	n.kind = listKind
	for i, item := range y.Content {
		if r.tooLarge {
			break
		}
		n.items = append(n.items, r.value(item, at.item(i), depth+1))
	}
	return n
}

// scalar resolves a scalar by its tag or, where it has none, by its spelling.
func (r *reader) scalar(n *node, y *yaml.Node, at *trail) {
	quoted := y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if y.Style&yaml.TaggedStyle != 0 {
		want, ok := map[string]kind{
			"!!str": stringKind, "!!int": numberKind, "!!float": numberKind, "!!bool": boolKind, "!!null": nullKind,
		}[y.ShortTag()]
		if !ok {
			r.report(n.at, at, "the tag "+Clip(y.Tag, 60)+" has no meaning in a job file", "")
			return
		}
		quoted = want == stringKind
		if got, _ := resolvePlain(y.Value); !quoted && got != want {
			r.report(n.at, at, fmt.Sprintf("%q is not %s, as its tag says", Clip(y.Value, 60), want), "")
			return
		}
	}
	if quoted {
		n.kind, n.text = stringKind, y.Value
	} else {
		n.kind, n.text = resolvePlain(y.Value)
	}
	if n.kind != stringKind || !strings.Contains(n.text, "${") {
		return
	}
	text, changed, err := expandVariables(n.text, r.lookup, r.now)
	if err != nil {
		hint := "write $${ for a literal ${"
		if errors.Is(err, errUnset) {
			hint = "${NAME:-default} gives a default; " + hint
		}
		r.report(n.at, at, err.Error(), hint)
		return
	}
	if changed {
		n.source = n.text
	}
	n.text = text
	r.charge(text)
}

// mapping fills n with the keys of y, and then with the keys of its merge keys (<<)
// that y does not have.
func (r *reader) mapping(n *node, y *yaml.Node, at *trail, depth int) {
	seen := map[string]position{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(y.Content) && !r.tooLarge; i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.Value == "<<" && key.Style&^yaml.TaggedStyle == 0 {
			merges = append(merges, value)
			continue
		}
		where := r.position(key)
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			r.report(where, at, "a key has to be a string", "")
			continue
		}
		field := at.key(key.Value)
		if first, twice := seen[key.Value]; twice {
			r.report(where, field, fmt.Sprintf("the key stands here for a second time; the first is in line %d", first.line), "")
			continue
		}
		seen[key.Value] = where
		if r.charge(key.Value) {
			n.members = append(n.members, member{key.Value, where, r.value(value, field, depth+1)})
		}
	}
	for _, m := range merges {
		r.merge(n, seen, m, at, depth)
	}
}

// merge adds the members of a mapping, or of a list of mappings, whose keys
// are not in seen.
func (r *reader) merge(n *node, seen map[string]position, y *yaml.Node, at *trail, depth int) {
	from := r.value(y, at, depth+1)
	sources := []*node{from}
	if from.kind == listKind {
		sources = from.items
	}
	for _, source := range sources {
		if source.kind != mapKind {
			r.report(r.position(y), at.key("<<"), "a merge key takes a mapping or a list of mappings", "")
			return
		}
		for _, m := range source.members {
			if _, known := seen[m.name]; !known {
				seen[m.name] = m.at
				n.members = append(n.members, m)
			}
		}
	}
}
