package advise

import (
	"cmp"
	"math"
	"slices"
)

// Goal says how much speed counts beside size when a chain is chosen.
type Goal string

// The goals.
const (
	Small    Goal = "small"    // speed hardly counts
	Balanced Goal = "balanced" // a tenth of the size counts as much as twice the speed of decoding
	Fast     Goal = "fast"     // half the size counts as much as twice the speed of decoding
)

// Goals are all goals.
var Goals = []string{string(Small), string(Balanced), string(Fast)}

// front marks the rows of the Pareto front.
func front(rows []Row) {
	for i := range rows {
		rows[i].Front = rows[i].Refused == "" && !slices.ContainsFunc(rows, func(other Row) bool {
			return other.Refused == "" && dominates(&other, &rows[i])
		})
	}
}

// dominates reports whether a row is better than another one in something, and worse in
// nothing.
func dominates(a, b *Row) bool {
	for _, program := range b.ReadBy {
		if !slices.Contains(a.ReadBy, program) {
			return false
		}
	}
	better := len(a.ReadBy) > len(b.ReadBy)
	for _, pair := range [][2]float64{{a.Ratio, b.Ratio}, {a.EncodeSpeed, b.EncodeSpeed}, {a.DecodeSpeed, b.DecodeSpeed}, {-a.MaxError(), -b.MaxError()}} {
		if pair[0] < pair[1] {
			return false
		}
		better = better || pair[0] > pair[1]
	}
	return better
}

// Score says how good a chain is for a goal. A higher score is better.
func (r *Row) Score(goal Goal) float64 {
	const enough = 1 << 30 // bytes a second: networks and disks are slower
	weight := map[Goal]float64{Small: 0.02, Balanced: math.Log(1.1) / math.Ln2, Fast: 1}[goal]
	return math.Log(r.Ratio) + weight*(math.Log(min(max(r.DecodeSpeed, 1), enough))+math.Log(min(max(r.EncodeSpeed, 1), enough))/4)
}

// reads returns how many of the programs read the chain.
func (r *Row) reads(programs []string) int {
	n := 0
	for _, program := range programs {
		if slices.Contains(r.ReadBy, program) {
			n++
		}
	}
	return n
}

// choose marks the row of the front with the highest score. Rows that some of the wanted
// programs do not read are chosen only if there is no other.
func choose(rows []Row, goal Goal, wanted []string) {
	best := -1
	for i := range rows {
		switch {
		case !rows[i].Front:
		case best < 0, rows[i].reads(wanted) > rows[best].reads(wanted),
			rows[i].reads(wanted) == rows[best].reads(wanted) && rows[i].Score(goal) > rows[best].Score(goal):
			best = i
		}
	}
	if best >= 0 {
		rows[best].Chosen = true
	}
}

// order sorts rows: the smallest first.
func order(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Ratio, a.Ratio), cmp.Compare(b.DecodeSpeed, a.DecodeSpeed))
	})
}
