package verify

import (
	"fmt"
	"strings"
)

// Part is part Number of Of parts of a verification; Number counts from 0.
type Part struct {
	Number int `json:"number"`
	Of     int `json:"of"`
}

// String spells a part, such as "0/8".
func (p Part) String() string { return fmt.Sprintf("%d/%d", p.Number, p.Of) }

// of returns which of n things belong to a part: those from first on, before end. The zero
// value has all.
func (p Part) of(n int) (first, end int) {
	if p.Of == 0 {
		return 0, n
	}
	// n may be as large as the bytes of a target, so the product does not fit into an int.
	at := func(k int) int { return n/p.Of*k + n%p.Of*k/p.Of }
	return at(p.Number), at(p.Number + 1)
}

// MostParts is the most parts that a verification has.
const MostParts = 100_000

// PartsError says which parts of a verification were not verified.
type PartsError struct {
	Missing []Part // at least one, ascending
	Level   Level
}

func (e *PartsError) Error() string {
	const most = 5
	var some []string
	for _, p := range e.Missing[:min(len(e.Missing), most)] {
		some = append(some, p.String())
	}
	text := strings.Join(some, ", ")
	if n := len(e.Missing) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%d of %d parts of this verification were not read (%s): read them with zmigrate work JOB --verify %s --bundle %s", len(e.Missing), e.Missing[0].Of, text, e.Level, some[0])
}
