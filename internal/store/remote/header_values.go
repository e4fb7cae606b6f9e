package remote

import (
	"strconv"
	"strings"
)

// PathEscapes turns the escapes of a query into those of a path. It leaves every character
// escaped that may be escaped, because signatures are made for that spelling.
var PathEscapes = strings.NewReplacer("+", "%20", "%2F", "/")

// Decimal reads a number without a sign.
func Decimal(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 0
}

// ContentRange reads "bytes 0-9/100", or the "bytes */100" of an answer without a
// range. The size is -1 if the server does not tell it.
func ContentRange(text string) (first, size int64, ok bool) {
	span, total, ok := strings.Cut(strings.TrimPrefix(text, "bytes "), "/")
	if !ok || !strings.HasPrefix(text, "bytes ") {
		return 0, 0, false
	}
	if size = -1; total != "*" {
		if size, ok = Decimal(total); !ok {
			return 0, 0, false
		}
	}
	if span == "*" {
		return -1, size, size >= 0
	}
	begin, _, _ := strings.Cut(span, "-")
	first, ok = Decimal(begin)
	return first, size, ok
}

// WholeSize returns the size of the object that an answer holds, or holds a part of;
// negative if the answer does not tell it.
func WholeSize(length int64, span string) int64 {
	if span == "" {
		return length
	}
	_, size, ok := ContentRange(span)
	if !ok {
		return -1
	}
	return size
}
