package kerchunk

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// errTemplate is the cause of errors about templates.
var errTemplate = errors.New("template")

func badTemplate(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errTemplate, fmt.Sprintf(format, args...))
}

const (
	// mostText bounds the text that a template may become.
	mostText = 64 << 10
	// deepest bounds templates that use each other, and brackets in each other.
	deepest = 32
)

// value is the value of an expression: an int64 or a string.
type value any

// scope has the names that an expression may use.
type scope struct {
	values    map[string]value
	templates map[string]func(*scope) (string, error) // with parameters, which are called
	depth     int
}

// expression evaluates the expression of a template:
//
//	expression = sum
//	sum        = product { ("+" | "-" | "~") product }
//	product    = unary { ("*" | "//" | "%") unary }
//	unary      = ["-"] primary
//	primary    = integer | 'text' | "text" | name | name "(" [name "=" expression {"," …}] ")" | "(" expression ")"
//
// The operators are those of Python: // and % round down, "%02d" % i formats an integer, +
// joins texts, and ~ joins anything. The rest of Jinja2 is refused.
type expression struct {
	text  string
	at    int
	scope *scope
	open  int // brackets
}

// evaluate returns the value of all of a text.
func evaluate(text string, s *scope) (value, error) {
	e := &expression{text: text, scope: s}
	v, err := e.sum()
	if err != nil {
		return nil, err
	}
	if e.peek() != 0 {
		return nil, badTemplate("{{%.60s}}: %.20q is not understood", text, text[e.at:])
	}
	return v, nil
}

// peek skips spaces and returns the next byte, 0 at the end.
func (e *expression) peek() byte {
	for e.at < len(e.text) && strings.IndexByte(" \t\r\n", e.text[e.at]) >= 0 {
		e.at++
	}
	if e.at == len(e.text) {
		return 0
	}
	return e.text[e.at]
}

func (e *expression) take(token string) bool {
	e.peek()
	if strings.HasPrefix(e.text[e.at:], token) {
		e.at += len(token)
		return true
	}
	return false
}

func (e *expression) sum() (value, error) {
	if e.open++; e.open > deepest {
		return nil, badTemplate("more than %d brackets within each other", deepest)
	}
	defer func() { e.open-- }()
	left, err := e.product()
	for err == nil {
		var op byte
		switch c := e.peek(); c {
		case '+', '-', '~':
			op = c
			e.at++
		default:
			return left, nil
		}
		var right value
		if right, err = e.product(); err == nil {
			left, err = compute(left, op, right)
		}
	}
	return nil, err
}

func (e *expression) product() (value, error) {
	left, err := e.unary()
	for err == nil {
		var op byte
		switch {
		case e.take("//"):
			op = '/'
		case e.peek() == '*' && !strings.HasPrefix(e.text[e.at:], "**"), e.peek() == '%':
			op = e.text[e.at]
			e.at++
		default:
			return left, nil
		}
		var right value
		if right, err = e.unary(); err == nil {
			left, err = compute(left, op, right)
		}
	}
	return nil, err
}

func (e *expression) unary() (value, error) {
	if e.take("-") {
		v, err := e.primary()
		if err != nil {
			return nil, err
		}
		return compute(int64(0), '-', v)
	}
	return e.primary()
}

func (e *expression) primary() (value, error) {
	c := e.peek()
	switch {
	case c >= '0' && c <= '9':
		digits := e.span(func(c byte) bool { return c >= '0' && c <= '9' })
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return nil, badTemplate("%.30s is too large", digits)
		}
		return n, nil
	case c == '\'' || c == '"':
		text, _, closed := strings.Cut(e.text[e.at+1:], string(c))
		if !closed || strings.Contains(text, `\`) {
			return nil, badTemplate("{{%.60s}}: a text without an end, or with a backslash", e.text)
		}
		e.at += len(text) + 2
		return text, nil
	case e.take("("):
		v, err := e.sum()
		if err == nil && !e.take(")") {
			err = badTemplate("{{%.60s}}: a bracket is not closed", e.text)
		}
		return v, err
	case isLetter(c):
		return e.named(e.span(func(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }))
	}
	return nil, badTemplate("{{%.60s}}: %.20q is not understood", e.text, e.text[e.at:])
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// span takes the bytes that belong, and returns them.
func (e *expression) span(belongs func(c byte) bool) string {
	begin := e.at
	for e.at < len(e.text) && belongs(e.text[e.at]) {
		e.at++
	}
	return e.text[begin:e.at]
}

// named returns the value of a name, or of a call.
func (e *expression) named(name string) (value, error) {
	if !e.take("(") {
		v, ok := e.scope.values[name]
		if !ok {
			return nil, badTemplate("there is no template %.60q", name)
		}
		return v, nil
	}
	called, ok := e.scope.templates[name]
	if !ok {
		return nil, badTemplate("there is no template %.60q with parameters", name)
	}
	inner := &scope{values: map[string]value{}, depth: e.scope.depth + 1}
	for more := e.peek() != ')'; more; more = e.take(",") {
		e.peek()
		parameter := e.span(func(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' })
		if parameter == "" || !e.take("=") {
			return nil, badTemplate("{{%.60s}}: parameters are NAME=VALUE", e.text)
		}
		v, err := e.sum()
		if err != nil {
			return nil, err
		}
		inner.values[parameter] = v
	}
	if !e.take(")") {
		return nil, badTemplate("{{%.60s}}: a bracket is not closed", e.text)
	}
	return called(inner)
}

// compute applies an operator; '/' is the division that rounds down.
func compute(left value, op byte, right value) (value, error) {
	x, isX := left.(int64)
	y, isY := right.(int64)
	switch {
	case isX && isY && op != '~':
		return computeIntegers(x, op, y)
	case op == '%' && !isX && isY:
		return formatted(text(left), y)
	case op == '~' || op == '+' && !isX && !isY:
		a, b := text(left), text(right)
		if len(a)+len(b) > mostText {
			return nil, badTemplate("a text of more than %d bytes", mostText)
		}
		return a + b, nil
	}
	return nil, badTemplate("%.20q %c %.20q has no meaning", text(left), op, text(right))
}

func computeIntegers(x int64, op byte, y int64) (value, error) {
	switch op {
	case '+':
		if sum := x + y; (sum > x) == (y > 0) {
			return sum, nil
		}
	case '-':
		if difference := x - y; (difference < x) == (y > 0) {
			return difference, nil
		}
	case '*':
		if x == 0 || y == 0 {
			return int64(0), nil
		}
		if product := x * y; product/y == x && (x != math.MinInt64 || y != -1) && (y != math.MinInt64 || x != -1) {
			return product, nil
		}
	default:
		if y == 0 || x == math.MinInt64 && y == -1 {
			return nil, badTemplate("%d divided by %d", x, y)
		}
		quotient, rest := x/y, x%y
		if rest != 0 && (rest < 0) != (y < 0) {
			quotient, rest = quotient-1, rest+y
		}
		if op == '/' {
			return quotient, nil
		}
		return rest, nil
	}
	return nil, badTemplate("%d %c %d is too large", x, op, y)
}

// formatted is Python's format % n for a format with one %d.
func formatted(format string, n int64) (value, error) {
	before, rest, found := strings.Cut(format, "%")
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	width, err := 0, error(nil)
	if digits > 0 {
		width, err = strconv.Atoi(rest[:digits])
	}
	if !found || err != nil || width > 64 || digits == len(rest) || rest[digits] != 'd' && rest[digits] != 'i' && rest[digits] != 's' ||
		rest[digits] == 's' && digits > 0 || strings.Contains(rest[digits+1:], "%") {
		return nil, badTemplate("the format %.30q is not understood", format)
	}
	shown := strconv.FormatInt(n, 10)
	if digits > 0 {
		pad := "%*d"
		if rest[0] == '0' {
			pad = "%0*d"
		}
		shown = fmt.Sprintf(pad, width, n)
	}
	return before + shown + rest[digits+1:], nil
}

// text returns a value as a template shows it.
func text(v value) string {
	if n, ok := v.(int64); ok {
		return strconv.FormatInt(n, 10)
	}
	return v.(string)
}
