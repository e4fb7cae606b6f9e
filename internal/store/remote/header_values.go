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
