package advise

import (
	"bytes"
	_ "embed" // the text of the page
	"fmt"
	"html/template"
	"math"
	"strings"
	"sync"

	"github.com/zmigrate/zmigrate/internal/words"
)

//go:embed page.html
var pageText string

var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

type (
	pageArray struct {
		Name, Size, Shape, Type, Chunks, Tried string
		Chart                                  template.HTML
		Rows                                   []pageRow
		Shapes                                 []pageShape
	}
	pageRow struct {
		Class, Mark, Codecs, Refused, Ratio, Encode, Decode, Error, Readers string
	}
	pageShape struct {
		Use, Shape, Size, Ratio string
		Chunks, Map, Series     int
	}
)

// Page returns a self-contained page with the advice on the arrays of a job.
func Page(job string, list []*Advice) ([]byte, error) {
	var arrays []pageArray
	for _, a := range list {
		one := pageArray{
			Name: "/" + a.Array, Size: words.Size(a.Bytes), Shape: words.Shape(a.Shape), Type: a.Type, Chunks: words.Shape(a.Chunks),
			Tried: fmt.Sprintf("%d of %s", a.Tried, words.Count(a.Of, "chunk")), Chart: a.chart(),
		}
		for i := range a.Rows {
			one.Rows = append(one.Rows, a.Rows[i].page())
		}
		if len(a.Shapes) > 1 {
			for _, s := range a.Shapes {
				one.Shapes = append(one.Shapes, pageShape{s.Use(), words.Shape(s.Chunks), words.Size(int64(s.Bytes)), fmt.Sprintf("%.3g", s.Ratio), s.Objects, s.MapChunks, s.SeriesChunks})
			}
		}
		arrays = append(arrays, one)
	}
	var text bytes.Buffer
	err := page().Execute(&text, map[string]any{"Job": job, "Arrays": arrays})
	return text.Bytes(), err
}

// Mark says in a word what a row is: best, now or - for one that is not on the front.
func (r *Row) Mark() string {
	switch {
	case r.Chosen:
		return "best"
	case r.Current:
		return "now"
	case !r.Front:
		return "-"
	}
	return ""
}

// Use says what the chunks are for.
func (s *Shape) Use() string {
	if s.Current {
		return "as they are"
	}
	return s.Access
}

// RatioText, ErrorText and the speeds are the figures of a row as tables have them.
func (r *Row) RatioText() string {
	text := fmt.Sprintf("%.3g", r.Ratio)
	if r.Uncertainty >= 0.001 {
		text += fmt.Sprintf(" ± %.1f%%", 100*r.Uncertainty)
	}
	return text
}

// ErrorText is described with RatioText.
func (r *Row) ErrorText() string {
	if r.Deviation == nil {
		return "0"
	}
	return fmt.Sprintf("%.3g", r.MaxError())
}

func (r *Row) page() pageRow {
	one := pageRow{Mark: r.Mark(), Codecs: r.CodecsText(), Refused: r.Refused}
	switch {
	case r.Chosen:
		one.Class = "chosen"
	case !r.Front:
		one.Class = "behind"
	}
	if r.Refused == "" {
		one.Ratio, one.Error, one.Readers = r.RatioText(), r.ErrorText(), r.ReadByText()
		one.Encode, one.Decode = words.Size(int64(r.EncodeSpeed))+"/s", words.Size(int64(r.DecodeSpeed))+"/s"
	}
	return one
}

// chart draws the rows: the ratio to the right, and the speed of decoding upwards. Both scales
// are logarithmic.
func (a *Advice) chart() template.HTML {
	const (
		width, height   = 640.0, 300.0
		left, foot, top = 70.0, 34.0, 12.0
	)
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	at := func(r *Row) [2]float64 { return [2]float64{math.Log2(r.Ratio), math.Log2(r.DecodeSpeed)} }
	drawn := func(r *Row) bool { return r.Refused == "" && r.Ratio > 0 && r.DecodeSpeed > 0 }
	for i := range a.Rows {
		if r := &a.Rows[i]; drawn(r) {
			for k, x := range at(r) {
				low[k], high[k] = math.Min(low[k], x), math.Max(high[k], x)
			}
		}
	}
	if math.IsInf(low[0], 0) {
		return ""
	}
	for k := range low {
		low[k], high[k] = low[k]-0.2, high[k]+0.2
	}
	place := func(p [2]float64) (x, y float64) {
		return left + (p[0]-low[0])/(high[0]-low[0])*(width-left-10), top + (1-(p[1]-low[1])/(high[1]-low[1]))*(height-top-foot)
	}
	var d strings.Builder
	addf := func(format string, args ...any) { _, _ = fmt.Fprintf(&d, format, args...) }
	addf(`<svg role="img" viewBox="0 0 %g %g" aria-label="ratio and speed of decoding of %d chains">`, width, height, len(a.Rows))
	addf(`<path class="axis" d="M%g %g V%g H%g"/>`, left, top, height-foot, width)
	for k := range 2 {
		for tick := range ticks(low[k], high[k]) {
			p := low
			p[k] = math.Log2(tick)
			x, y := place(p)
			if k == 0 {
				addf(`<text x="%.1f" y="%.1f" text-anchor="middle">%.3g</text>`, x, height-foot+14, tick)
			} else {
				addf(`<text x="%.1f" y="%.1f" text-anchor="end">%s/s</text>`, left-6, y+4, words.Size(int64(tick)))
			}
		}
	}
	addf(`<text x="%g" y="%g" text-anchor="end">ratio</text><text x="%g" y="10">decoding</text>`, width-10, height-4, left+4)
	for i := range a.Rows {
		r := &a.Rows[i]
		if !drawn(r) {
			continue
		}
		x, y := place(at(r))
		var class []string
		if r.Deviation != nil {
			class = append(class, "lossy")
		}
		if !r.Front {
			class = append(class, "behind")
		}
		addf(`<circle class="%s" cx="%.1f" cy="%.1f" r="4"><title>%s</title></circle>`, strings.Join(class, " "), x, y, template.HTMLEscapeString(r.CodecsText()))
		if r.Chosen {
			addf(`<circle class="chosen" cx="%.1f" cy="%.1f" r="8"/>`, x, y)
		}
		if r.Current {
			addf(`<rect class="chosen" x="%.1f" y="%.1f" width="12" height="12"/>`, x-6, y-6)
		}
	}
	addf("</svg>")
	return template.HTML(d.String()) //nolint:gosec // texts are escaped
}

// ticks calls yield for powers of two, and for some numbers between them, whose logarithms lie in
// a range.
func ticks(low, high float64) func(yield func(float64) bool) {
	return func(yield func(float64) bool) {
		step := 1.0
		switch extent := high - low; {
		case extent < 1.5:
			step = 0.25
		case extent < 3:
			step = 0.5
		case extent > 8:
			step = 2
		}
		for x := math.Ceil(low/step) * step; x <= high; x += step {
			if !yield(math.Exp2(x)) {
				return
			}
		}
	}
}
