package combine

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// combined implements [sources.Source].
type combined struct {
	sources.Origin
	how   Options
	names []string // of the members, in the order in which they are joined

	mu     sync.Mutex        // guards groups and vars while members are opened
	groups [][]sources.Group // of each member
	paths  []string          // of the variables that are opened
	others []string          // paths of the variables that are not opened
	vars   map[string]*variable
	bounds map[string]string // the path of a coordinate by the path of its bounds
	infos  sources.Infos     // descriptions of parts that are rebased
	// spans has the coordinates that were read, by their paths: a span for each member.
	spans map[string][]span
	// runs are the rows of members that are taken where members overlap; nil: all are.
	runs []run
}

// variable is an array of all members.
type variable struct {
	path     string
	parts    []sources.Array  // of each member; nil: there is none
	stored   []sources.Array  // parts before they were rebased; nil: no part was rebased
	clocks   []sources.Clock  // the clock of each part as it is stored; nil: the variable has no times
	faults   map[string]error // why it cannot be opened, by the name of the member
	report   sources.Report   // the faults that are found
	notes    []string
	findings []cf.Finding
	breaks   []string      // where its values break the order, if the job allows that
	array    sources.Array // what it becomes, if nothing is wrong
	joined   bool          // it has the dimension along which members are joined
	lists    bool          // it has lists that belong to indices along that dimension; joined is set, too
	rebasing string        // the note about the parts that are rebased
	rebased  string        // the units of the parts that are rebased
}

// wrong is the error about a field of the options that does not fit the members.
func wrong(field, format string, args ...any) error {
	return &sources.JoinError{Field: field, Err: fmt.Errorf(format, args...)}
}

// first returns the number of the first member in which the variable was opened, or -1 if
// there is none.
func (v *variable) first() int {
	return slices.IndexFunc(v.parts, func(a sources.Array) bool { return a != nil })
}

// missed reports whether no member has the variable as an array that this program can read.
// The source can then leave the variable out.
func (v *variable) missed() bool {
	for _, err := range v.faults {
		if !errors.Is(err, sources.ErrNoArray) && !sources.Unsupported(err) {
			return false
		}
	}
	return v.first() < 0
}

func (v *variable) note(format string, args ...any) {
	v.notes = append(v.notes, fmt.Sprintf(format, args...))
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Options says how members, which are files or hierarchies, become one source.
type Options = sources.Joining

// span sums up the values of a coordinate in one member. from and to are numbers that
// sort as the elements do, see [compare.Order].
type span struct {
	compare.Trend
	first, last string // for messages
	from, to    uint64 // the numbers of the first and the last value
	valid       bool   // the first value is neither NaN nor not-a-time
}

// run is n rows of a member, one after the other, which begin with row from.
type run struct{ member, from, n int }

func (c *combined) given(v *variable, name string) bool {
	return c.how.Given != nil && c.how.Given(v.path, name)
}
