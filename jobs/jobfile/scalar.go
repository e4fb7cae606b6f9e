package jobfile

import (
	"math/big"
	"regexp"
	"strings"
)

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
