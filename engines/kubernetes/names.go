package kubernetes

import (
	"strings"
)

// longestPart bounds how much of a job's name stands in the name of an object. The names of pods
// and their host names are made from the names of Jobs and have at most 63 bytes.
const longestPart = 30

// hashDigits is how many digits of the plan's hash stand in the name of an object.
const hashDigits = 12

// objectName returns a DNS label (RFC 1123) for a campaign: a letter, then letters, digits and
// hyphens, and no hyphen at the end.
func objectName(job, plan string) string {
	var b strings.Builder
	for _, c := range []byte(strings.ToLower(job)) {
		if letter, digit := 'a' <= c && c <= 'z', '0' <= c && c <= '9'; !letter && !digit {
			c = '-'
		}
		if b.Len() < longestPart {
			b.WriteByte(c)
		}
	}
	part := strings.Trim(b.String(), "-")
	if part != "" {
		part += "-"
	}
	return "zm-" + part + plan[:min(len(plan), hashDigits)]
}

// escaped spells an argument so that Kubernetes reads it as it is. Kubernetes replaces $(NAME) by
// the value of a variable, and $$ by one dollar sign.
func escaped(argument string) string {
	var b strings.Builder
	for i := range len(argument) {
		if rest := argument[i:]; strings.HasPrefix(rest, "$$") || strings.HasPrefix(rest, "$(") {
			b.WriteByte('$')
		}
		b.WriteByte(argument[i])
	}
	return b.String()
}
