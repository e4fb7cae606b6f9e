package journal

import "testing"

// This is a small model of how runs take a lock, beside that of a takeover. Some runs contend for
// one lock, twice each. Between any two of its requests a run may be stopped for any time. The test
// visits all states.

// The size of the model. Each try uses at most one number.
const (
	contenders = 3
	tries      = 2
	mostMarker = contenders*tries + 1
)

// claimRules are the rules of taking a lock.
type claimRules struct {
	keeps bool // the first marker is never removed
	looks bool // a run that has created a marker with a number above 1 looks for a higher one
	first bool // also the run that has created the first marker looks
}

// What a contender does next.
const (
	cLook = iota
	cCreate
	cConfirm
	cWithdraw
	cClean
	cWork
)

// contender is one of the runs. It is comparable.
type contender struct {
	next    int8
	number  int8  // of the highest marker when it looked, then of its own
	earlier int16 // a bit for each marker that it has still to remove
	tried   int8
}

// own lets the contender take itself for the owner, after it has seen the earlier markers.
func (c *contender) own(earlier int16, r claimRules) {
	if r.keeps {
		earlier &^= 1 << 1
	}
	c.next, c.earlier = cClean, earlier
}

// owns tells whether the contender believes that it has the lock.
func (c contender) owns() bool { return c.next == cClean || c.next == cWork }

// contest is a state. Bit n of a set stands for the marker with the number n.
type contest struct {
	exists, released int16
	runs             [contenders]contender
}

func (c contest) highest() int8 {
	for n := int8(mostMarker); n > 0; n-- {
		if c.exists>>n&1 != 0 {
			return n
		}
	}
	return 0
}

func (c *contest) remove(n int8) {
	c.exists &^= 1 << n
	c.released &^= 1 << n
}

// step is the state after the next step of a run, if it can take one.
func (c contest) step(i int, r claimRules) (contest, bool) {
	run := &c.runs[i]
	switch run.next {
	case cLook:
		n := c.highest()
		if run.tried == tries || n > 0 && c.released>>n&1 == 0 {
			return c, false
		}
		run.tried, run.number, run.next = run.tried+1, n, cCreate
	case cCreate:
		first := run.number == 0
		run.number++
		switch {
		case c.exists>>run.number&1 != 0:
			*run = contender{tried: run.tried}
			return c, true
		case first && !r.first || !first && !r.looks:
			run.own(c.exists, r)
		default:
			run.next = cConfirm
		}
		c.exists |= 1 << run.number
	case cConfirm:
		run.next = cWithdraw
		if c.highest() == run.number {
			run.own(c.exists&^(1<<run.number), r)
		}
	case cWithdraw:
		if r.keeps && run.number == 1 {
			c.released |= 1 << 1
		} else {
			c.remove(run.number)
		}
		*run = contender{tried: run.tried}
	case cClean:
		for n := int8(1); n < run.number; n++ {
			if run.earlier>>n&1 != 0 {
				c.remove(n)
				run.earlier &^= 1 << n
				return c, true
			}
		}
		run.next = cWork
	case cWork:
		c.released |= 1 << run.number
		*run = contender{tried: run.tried}
	}
	return c, true
}

// shared visits all states, and tells whether two runs have the lock in one of them.
func shared(r claimRules) (two bool, states int) {
	visited := map[contest]bool{{}: true}
	for queue := []contest{{}}; len(queue) > 0; {
		c := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		owners := 0
		for i := range c.runs {
			if c.runs[i].owns() {
				owners++
			}
			if n, ok := c.step(i, r); ok && !visited[n] {
				visited[n] = true
				queue = append(queue, n)
			}
		}
		if owners > 1 {
			return true, len(visited)
		}
	}
	return false, len(visited)
}

// TestClaimsModel visits every state of runs that contend for a lock. The run that creates the first
// marker need not look for a higher one, because the first marker is never removed. Each of the
// other rules is needed.
func TestClaimsModel(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules claimRules
		two   bool
	}{
		{"the program", claimRules{keeps: true, looks: true}, false},
		{"the first marker is removed, and its run looks", claimRules{looks: true, first: true}, false},
		{"the first marker is removed, and its run does not look", claimRules{looks: true}, true},
		{"nobody looks", claimRules{keeps: true}, true},
	} {
		two, states := shared(c.rules)
		if two != c.two {
			t.Errorf("%s: two runs have the lock in one of %d states: %v, want %v", c.name, states, two, c.two)
		}
		if !c.two && states < 1000 {
			t.Errorf("%s: only %d states", c.name, states)
		}
	}
}
