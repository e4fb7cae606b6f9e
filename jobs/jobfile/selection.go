package jobfile

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/internal/words"
)

var indexText = words.Pattern(`^(-?\d{1,18})?:(-?\d{1,18})?(?::(\d{1,18}))?$`)

// backwards matches indices with a negative step, and zoned a date with an offset from UTC.
var (
	backwards = regexp.MustCompile(`^[-\d]*:[-\d]*:-\d+$`)
	zoned     = regexp.MustCompile(`\d[T ]\d.*[+-]\d\d?(:?\d\d)?$`)
)

// longExponent matches exponents of numbers that take much memory as fractions.
var longExponent = words.Pattern(`[eE][+-]?0*\d{4}`)

// isLong reports whether a number takes much memory as a fraction.
func isLong(number string) bool { return len(number) >= 1000 || longExponent().MatchString(number) }

const selectHint = `indices as "0:100:2", values as [30, 60], or dates as 2020-01-01/2020-12-31; one value as [45, 45]`

// plainNumber matches a number that can be one side of a range, such as 30/60.
var plainNumber = words.Pattern(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$`)

// selections reads the field select.
func (p *parser) selections(n *node, at *trail) {
	if n.takesNamed(at, func(n *node, at *trail) {
		n.takesEither(at, p.str(new(string)), func(n *node, _ *trail) { n.takes(schema{"type": "number"}) }, func(n *node, _ *trail) {
			n.takes(schema{"type": "array", "items": schema{"type": []string{"number", "null", "string"}}, "minItems": 2, "maxItems": 2})
		})
	}) {
		return
	}
	if n.kind != mapKind {
		p.want(n, at, "a mapping from the dimensions' names to what is selected", "select: {lat: [30, 60]}")
		return
	}
	for _, m := range n.members {
		m.value = m.value.structured()
		s := Selection{Dimension: m.name}
		field := at.key(m.name)
		switch m.value.kind {
		case nullKind:
			continue
		case listKind:
			p.valueRange(m.value, field, &s)
		case stringKind, numberKind: // a number may be a year
			p.selectionText(m.value, field, &s)
		default:
			p.want(m.value, field, "a part of the dimension", selectHint)
		}
		p.job.Source.Select = append(p.job.Source.Select, s)
	}
}

// valueRange reads [low, high]. null is no bound.
func (p *parser) valueRange(n *node, at *trail, s *Selection) {
	s.Text = string(n.json())
	if len(n.items) != 2 {
		p.report(n.at, at, fmt.Sprintf("has %d entries, and a part has two: the least value and the greatest", len(n.items)), selectHint)
		return
	}
	var bounds [2]*big.Rat
	for i, item := range n.items {
		item = item.literal()
		if item.kind == nullKind {
			continue
		}
		if item.kind != numberKind || isLong(item.text) {
			p.want(item, at.item(i), "a number, or null for no bound", selectHint)
			return
		}
		bounds[i], _ = new(big.Rat).SetString(item.text) // a number as JSON
	}
	if bounds[0] != nil && bounds[1] != nil && bounds[0].Cmp(bounds[1]) > 0 {
		p.report(n.at, at, fmt.Sprintf("%s is greater than %s", n.items[0].shown(), n.items[1].shown()), lesserFirst)
		return
	}
	s.Values = &bounds
}

const lesserFirst = "the lesser value comes first, also where the coordinate falls"

// selectionText reads indices, dates or two numbers such as 0.5/3. Two whole numbers may be
// years, so they are kept as dates.
func (p *parser) selectionText(n *node, at *trail, s *Selection) {
	text := strings.TrimSpace(n.text)
	s.Text = n.quoted()
	if m := indexText().FindStringSubmatch(text); m != nil {
		r := IndexRange{Step: 1}
		for i, dst := range []**int{&r.First, &r.End} {
			if m[i+1] != "" {
				v, _ := strconv.Atoi(m[i+1]) // few digits
				*dst = &v
			}
		}
		if m[3] != "" {
			r.Step, _ = strconv.Atoi(m[3])
		}
		if r.Step < 1 {
			p.report(n.at, at, "the step is 0", "first:end:step, where the step is at least 1")
			return
		}
		if r.First != nil && r.End != nil && *r.First >= *r.End && (*r.First < 0) == (*r.End < 0) {
			p.report(n.at, at, fmt.Sprintf("no index from %d on is before %d", *r.First, *r.End), "the range ends before its last index")
			return
		}
		s.Indices = &r
		return
	}
	first, last, both := strings.Cut(text, "/")
	if !both {
		last = first
	}
	dates := [2]string{strings.TrimSpace(first), strings.TrimSpace(last)}
	for i, date := range dates {
		if date == ".." {
			dates[i] = ""
		}
	}
	s.Dates = &dates
	for _, date := range dates {
		if (date == "" || cf.IsPeriod(date)) && text != "" {
			continue
		}
		s.Dates = nil
		if s.Values = numbersOf(dates); both && s.Values != nil {
			if v := s.Values; v[0] != nil && v[1] != nil && v[0].Cmp(v[1]) > 0 {
				p.report(n.at, at, fmt.Sprintf("%s is greater than %s", dates[0], dates[1]), lesserFirst)
			}
			return
		}
		s.Values = nil
		message, hint := noPart(text, date)
		p.report(n.at, at, fmt.Sprintf("%s %s", n.quoted(), message), hint)
		return
	}
}

// numbersOf returns the numbers that two texts stand for; "" is no bound. It returns nil if
// one of them is no number, or if both are "".
func numbersOf(texts [2]string) *[2]*big.Rat {
	var numbers [2]*big.Rat
	for i, text := range texts {
		if text == "" {
			continue
		}
		if !plainNumber().MatchString(text) || isLong(text) {
			return nil
		}
		numbers[i], _ = new(big.Rat).SetString(text) // of this form
	}
	if numbers[0] == nil && numbers[1] == nil {
		return nil
	}
	return &numbers
}

// Numbers returns the values that two dates are for a coordinate that counts no time: those
// of 30/60. It returns nil if the dates are not two whole numbers, which may be years.
func (s Selection) Numbers() *[2]*big.Rat {
	if s.Dates == nil || !strings.Contains(s.Text, "/") {
		return nil
	}
	return numbersOf(*s.Dates)
}

// Years reports whether each given date has four digits, as people write years.
func (s Selection) Years() bool {
	return s.Dates != nil && !slices.ContainsFunc(s.Dates[:], func(date string) bool { return date != "" && len(strings.TrimLeft(date, "+-")) != 4 })
}

// Field is the field that the selection stands in.
func (s Selection) Field() string { return FieldPath("source", "select", s.Dimension) }

// noPart says why a text selects nothing, with a way out. The date is the part of the text
// that is none.
func noPart(text, date string) (message, hint string) {
	switch {
	case backwards.MatchString(text):
		return "has a negative step", "first:end:step, where the step is at least 1: elements keep their order"
	case zoned.MatchString(date):
		return "has a time zone, but dates are selected in UTC, as coordinates count them", "2020-01-31T12:00, without a zone"
	case cf.LooksLikePeriod(date):
		return "is a date that no calendar has", "a month is at most 12, a day at most 31, and an hour at most 23"
	}
	return "is no part of a dimension", selectHint
}

// normalSelections has selections by their dimensions.
func normalSelections(list []Selection) map[string]any {
	m := map[string]any{}
	for _, s := range list {
		switch {
		case s.Indices != nil:
			m[s.Dimension] = []any{"indices", s.Indices.First, s.Indices.End, s.Indices.Step}
		case s.Values != nil:
			m[s.Dimension] = []any{"values", s.Values[0], s.Values[1]}
		case s.Dates != nil:
			m[s.Dimension] = []any{"dates", s.Dates[0], s.Dates[1]}
		}
	}
	return m
}

// Compares reports whether the array at a path is looked at as the coordinate of a
// dimension of which the job selects a part by values or dates.
func (j *Job) Compares(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for _, s := range j.Source.Select {
		if s.Dimension == name && s.Indices == nil {
			return true
		}
	}
	return false
}
