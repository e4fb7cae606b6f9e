package words

import (
	"regexp"
	"sync"
)

// Pattern returns a function that returns a regular expression, in the syntax of package regexp, and
// compiles it at its first call. A program that compiles all of them when it starts takes a
// millisecond more for every command. A wrong expression panics at each call. The function may be called
// from several goroutines.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
