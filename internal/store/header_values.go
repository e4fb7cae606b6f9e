package store

import (
	"strconv"
	"strings"
)

// pathEscapes turns the escapes of a query into those of a path. Every character that
// may be escaped is, because signatures are made for that spelling.
var pathEscapes = strings.NewReplacer("+", "%20", "%2F", "/")

// decimal reads a number without a sign.
func decimal(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 0
}
