package filters

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/codecs"
)

// msgpackDefinition is the filter "msgpack2": a list of texts in MessagePack.
func msgpackDefinition() codecs.Definition {
	return textDefinition(msgpackName, "texts in MessagePack", func(text json.RawMessage) (binder, error) {
		var c struct {
			Raw bool `json:"raw"` // the other fields say how Python writes MessagePack
		}
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, codecs.Fieldf("raw", "want true or false")
		}
		if c.Raw {
			return nil, codecs.InField("raw", unsuited("true: the elements are bytes, want texts"))
		}
		return ofObjects(parseMsgpack), nil
	})
}

func parseMsgpack(src []byte) (any, error) {
	r := msgpack{src}
	tree, err := r.tree(mostRanks)
	if err == nil && len(r.rest) > 0 {
		err = fmt.Errorf("%w: %d bytes of MessagePack behind the list", codecs.ErrCorrupt, len(r.rest))
	}
	return tree, err
}

// msgpack reads values of MessagePack. The first byte of a value says what it is. Behind it
// is a length, for some in as many bytes as it says, and then the content.
type msgpack struct{ rest []byte }

// tree reads a value, and lists down to a depth.
func (r *msgpack) tree(depth int) (any, error) {
	head, err := r.number(1)
	if err != nil {
		return nil, err
	}
	switch {
	case head < 0x80:
		return head, nil
	case head>>4 == 0x9:
		return r.list(head&0xf, depth)
	case head == 0xdc || head == 0xdd:
		n, err := r.number(2 << (head - 0xdc))
		if err != nil {
			return nil, err
		}
		return r.list(n, depth)
	case head>>5 == 0x5:
		return r.text(head & 0x1f)
	case head >= 0xd9 && head <= 0xdb:
		n, err := r.number(1 << (head - 0xd9))
		if err != nil {
			return nil, err
		}
		return r.text(n)
	case head >= 0xcc && head <= 0xcf:
		return r.number(1 << (head - 0xcc))
	case head == 0xc0:
		return none{}, nil
	case head == 0xc2 || head == 0xc3:
		return other("a boolean"), nil
	case head >= 0xe0:
		return other("a negative number"), nil
	case head >= 0xd0 && head <= 0xd3:
		_, err := r.number(1 << (head - 0xd0))
		return other("a negative number"), err
	case head == 0xca || head == 0xcb:
		_, err := r.number(4 << (head - 0xca))
		return other("a number"), err
	case head >= 0xc4 && head <= 0xc6:
		n, err := r.number(1 << (head - 0xc4))
		if err == nil {
			_, err = r.take(n)
		}
		return other("bytes"), err
	}
	return nil, fmt.Errorf("%w: MessagePack has a value with the first byte %#x, which is neither a text, a number nor a list", codecs.ErrCorrupt, head)
}

// number reads a big-endian number of some bytes. One that no int holds becomes the largest.
func (r *msgpack) number(size int) (int, error) {
	digits, err := r.take(size)
	var n uint64
	for _, b := range digits {
		n = n<<8 | uint64(b)
	}
	return int(min(n, math.MaxInt)), err
}

func (r *msgpack) take(n int) ([]byte, error) {
	if n > len(r.rest) {
		return nil, fmt.Errorf("%w: MessagePack is cut short", codecs.ErrCorrupt)
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken, nil
}

func (r *msgpack) text(n int) (any, error) {
	text, err := r.take(n)
	if err == nil && !utf8.Valid(text) {
		err = fmt.Errorf("%w: the text %.60q is not valid UTF-8", codecs.ErrCorrupt, text)
	}
	return string(text), err
}

func (r *msgpack) list(n, depth int) (any, error) {
	if n > len(r.rest) {
		return nil, fmt.Errorf("%w: MessagePack is cut short", codecs.ErrCorrupt)
	}
	if depth == 0 {
		return nil, fmt.Errorf("%w: more than %d lists within lists", codecs.ErrCorrupt, mostRanks)
	}
	values := make([]any, n)
	for i := range values {
		var err error
		if values[i], err = r.tree(depth - 1); err != nil {
			return nil, err
		}
	}
	return values, nil
}
