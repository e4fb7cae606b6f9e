package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
)

// The size of charts, in units of their view boxes.
const (
	chartWidth  = 320.0
	chartHeight = 110.0
	chartFoot   = 16.0 // below the axis, for its labels
)

// drawing collects the elements of an SVG.
type drawing struct{ strings.Builder }

func (d *drawing) addf(format string, args ...any) { _, _ = fmt.Fprintf(d, format, args...) }

// svg returns the drawing as an element of a page. Screen readers read the title.
func (d *drawing) svg(title string, width, height float64) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg role="img" viewBox="0 0 %g %g" aria-label="%s">%s</svg>`, //nolint:gosec // texts are escaped
		width, height, template.HTMLEscapeString(title), d.String()))
}

// label adds a text below the axis. anchor is start, middle or end.
func (d *drawing) label(x float64, anchor, text string) {
	d.addf(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, chartHeight+chartFoot-4, anchor, template.HTMLEscapeString(text))
}

// axis draws the line at the foot of a chart, and its ends.
func (d *drawing) axis(from, to string) {
	d.addf(`<path class="axis" d="M0 %g H%g"/>`, chartHeight, chartWidth)
	d.label(0, "start", from)
	d.label(chartWidth, "end", to)
}

// histogram draws how many values of the slice lie in each of 40 intervals.
func (s *sample) histogram() template.HTML {
	const bins = 40
	var counts [bins]int
	most := 0
	for _, v := range s.values {
		if math.IsNaN(v) {
			continue
		}
		i := 0
		if s.high > s.low {
			i = min(int((v/2-s.low/2)/(s.high/2-s.low/2)*bins), bins-1)
		}
		counts[i]++
		most = max(most, counts[i])
	}
	var d drawing
	for i, n := range counts {
		if n > 0 {
			h := max(float64(n)/float64(most)*(chartHeight-4), 1)
			d.addf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, float64(i)*chartWidth/bins, chartHeight-h, chartWidth/bins-1, h)
		}
	}
	d.axis(short(s.low), short(s.high))
	return d.svg("histogram of values from "+short(s.low)+" to "+short(s.high), chartWidth, chartHeight+chartFoot)
}

// line draws a slice of one row. Missing values are gaps.
func (s *sample) line() template.HTML {
	var d drawing
	d.WriteString(`<path class="line" d="`)
	pen := "M"
	for i, v := range s.values {
		if math.IsNaN(v) {
			pen = "M"
			continue
		}
		y := chartHeight / 2
		if s.high > s.low {
			y = chartHeight - 4 - (v/2-s.low/2)/(s.high/2-s.low/2)*(chartHeight-8)
		}
		x := chartWidth / 2
		if len(s.values) > 1 {
			x = float64(i) / float64(len(s.values)-1) * chartWidth
		}
		d.addf("%s%.1f %.1f", pen, x, y)
		if pen == "M" { // so that a value between two missing ones is visible
			d.addf("h.1")
		}
		pen = "L"
	}
	d.WriteString(`"/>`)
	d.axis(s.x.from, s.x.to)
	d.addf(`<text x="0" y="12">%s</text>`, template.HTMLEscapeString(short(s.high)))
	d.addf(`<text x="%g" y="%g" text-anchor="end">%s</text>`, chartWidth, chartHeight-4, template.HTMLEscapeString(short(s.low)))
	return d.svg("values along "+s.x.name, chartWidth, chartHeight+chartFoot)
}

// errorsChart draws how many elements have errors of each size. Bars that go up count the
// elements that are greater than in the source, bars that go down those that are less.
func errorsChart(d deviation.Deviation) template.HTML {
	if len(d.Errors) == 0 {
		return ""
	}
	first := math.Ilogb(d.Errors[0].From)
	bins := math.Ilogb(d.Errors[len(d.Errors)-1].From) - first + 1
	var most int64
	for _, e := range d.Errors {
		most = max(most, e.Below, e.Above)
	}
	middle := chartHeight / 2
	wide := chartWidth / float64(max(bins, 8))
	var svg drawing
	for _, e := range d.Errors {
		x := float64(math.Ilogb(e.From)-first) * wide
		for i, n := range []int64{e.Above, e.Below} {
			if n == 0 {
				continue
			}
			h := max(float64(n)/float64(most)*(middle-2), 1)
			y := middle - h
			if i == 1 {
				y = middle
			}
			svg.addf(`<rect class="error" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, x, y, max(wide-1, 0.5), h)
		}
	}
	svg.addf(`<path class="axis" d="M0 %g H%g"/>`, middle, chartWidth)
	svg.label(0, "start", "|error| "+short(d.Errors[0].From))
	svg.label(min(float64(bins)*wide, chartWidth), "end", short(2*d.Errors[len(d.Errors)-1].From))
	return svg.svg("histogram of errors, by powers of two", chartWidth, chartHeight+chartFoot)
}

// stagesChart draws how long the workers of each stage have worked.
func stagesChart(bars []bar) template.HTML {
	most := 0.0
	for _, b := range bars {
		most = max(most, b.Seconds)
	}
	const width, height, left = 640.0, 22.0, 100.0
	var d drawing
	for i, b := range bars {
		y := float64(i) * height
		d.addf(`<text x="%g" y="%g" text-anchor="end">%s</text>`, left-8, y+15, template.HTMLEscapeString(b.Name))
		d.addf(`<rect x="%g" y="%g" width="%.1f" height="%g"/>`, left, y+3, max(b.Seconds/max(most, 1e-9)*(width-left-90), 0.5), height-6)
		d.addf(`<text x="%.1f" y="%g">%s</text>`, left+6+b.Seconds/max(most, 1e-9)*(width-left-90), y+15, template.HTMLEscapeString(b.Text))
	}
	return d.svg("time by stage", width, height*float64(len(bars)))
}

// bar is a bar of a chart.
type bar struct {
	Name    string
	Seconds float64
	Text    string
}
