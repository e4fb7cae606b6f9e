package journal

import (
	"bytes"
	"math"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/sinks"
)

// A checkpoint has one line for each object, so there may be millions of lines. plainLine
// reads a line in the form in which this program writes it: the fields in one order, each
// of them once, and no space between them. A line in any other form is not damaged:
// whoever gets no value from a plainLine reads the line with encoding/json.
type plainLine struct {
	rest  []byte
	other bool // the line has another form
}

// next tells whether the line goes on with a text, and takes that text from the line.
func (p *plainLine) next(text string) bool {
	if len(p.rest) < len(text) || string(p.rest[:len(text)]) != text {
		return false
	}
	p.rest = p.rest[len(text):]
	return true
}

// number takes a natural number of no more than most from the line.
func (p *plainLine) number(most uint64) (n uint64) {
	const digits = 19 // every number of so many digits is less than 2^64; nothing takes a digit that follows
	i := 0
	for ; i < len(p.rest) && i < digits && p.rest[i]-'0' < 10; i++ {
		n = n*10 + uint64(p.rest[i]-'0')
	}
	if i == 0 || p.rest[0] == '0' && i > 1 || n > most {
		p.other = true
		return 0
	}
	p.rest = p.rest[i:]
	return n
}

// text takes a string from the line, whose opening quote has been taken. A string has
// printable ASCII, and of escapes only those of the quote and the backslash.
func (p *plainLine) text() string {
	var escaped []byte // what comes before rest[from:]
	from := 0
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			part := p.rest[from:i]
			p.rest = p.rest[i+1:]
			if escaped == nil {
				return string(part)
			}
			return string(append(escaped, part...))
		case c == '\\' && i+1 < len(p.rest) && (p.rest[i+1] == '"' || p.rest[i+1] == '\\'):
			escaped = append(escaped, p.rest[from:i]...)
			from = i + 1
			i++
		case c < ' ' || c > '~' || c == '\\':
			p.other = true
			return ""
		}
	}
	p.other = true
	return ""
}

// digest takes a digest from the line, whose opening quote has been taken.
func (p *plainLine) digest() (sum digest.Optional) {
	end := bytes.IndexByte(p.rest, '"')
	if end < 0 || sum.UnmarshalText(p.rest[:end]) != nil {
		p.other = true
		return digest.Optional{}
	}
	p.rest = p.rest[end+1:]
	return sum
}

// whole tells whether the line ends here, and had the form of a plain line so far.
func (p *plainLine) whole() bool { return p.next("}") && len(p.rest) == 0 && !p.other }

// plainReceipt reads a receipt; false if the line has another form.
func plainReceipt(line []byte) (r sinks.Receipt, ok bool) {
	p := plainLine{rest: line}
	if !p.next(`{"a":`) {
		return r, false
	}
	r.Array = int(p.number(math.MaxInt))
	if !p.next(`,"u":`) {
		return r, false
	}
	r.Unit = int(p.number(math.MaxInt))
	if p.next(`,"k":"`) {
		r.Key = p.text()
	}
	if p.next(`,"n":`) {
		r.Bytes = int64(p.number(math.MaxInt64))
	}
	if p.next(`,"c":`) {
		r.Sum = uint32(p.number(math.MaxUint32))
	}
	if p.next(`,"d":"`) {
		r.Digest = p.digest()
	}
	if p.next(`,"v":"`) {
		r.Version = p.text()
	}
	r.Empty = p.next(`,"e":true`)
	if p.next(`,"m":`) {
		r.More = int(p.number(math.MaxInt))
	}
	return r, p.whole()
}
