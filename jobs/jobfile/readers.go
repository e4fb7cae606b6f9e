package jobfile

import (
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/readers"
)

// requiredReaders reads target.readers: names of programs that must be able to read the
// result, with the oldest version of each.
func (p *parser) requiredReaders(n *node, at *trail) {
	list := make([]string, len(n.items))
	ok := p.list(n, at, "a list of readers", func(i int) setter {
		return func(n *node, at *trail) {
			if p.str(&list[i])(n, at); list[i] == "" {
				return
			}
			if _, err := readers.Parse(list[i]); err != nil {
				p.report(n.at, at, err.Error(), nearestReader(err))
				list[i] = ""
			}
		}
	})
	if ok {
		p.job.Target.Readers = list
	}
}

// nearestReader is a hint for a name that no reader has.
func nearestReader(err error) string {
	of, ok := errors.AsType[*readers.UnknownError](err)
	switch {
	case !ok:
		return ""
	case of.Package != "":
		return fmt.Sprintf("did you mean %q?", of.Package)
	}
	return unlessListed(DidYouMean(of.Name, readers.Names()))
}

// RequiredReaders returns the readers that target.readers names.
func (j *Job) RequiredReaders() []*readers.Reader {
	var list []*readers.Reader
	for _, text := range j.Target.Readers {
		if r, err := readers.Parse(text); err == nil { // others were reported by Load
			list = append(list, r)
		}
	}
	return list
}

// Unreadable returns the message and the hint about a part of an array that a required
// reader does not open.
func Unreadable(r *readers.Reader, refused readers.Refusal) (message, hint string) {
	message = fmt.Sprintf("%s, which target.readers names, does not open %s", r, refused.What)
	if refused.Instead != "" {
		hint = "instead: " + refused.Instead
	}
	return message, hint
}
