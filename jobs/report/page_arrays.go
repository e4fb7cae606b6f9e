package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs/preview"
)

type (
	// fact is a line of a table.
	fact struct{ Name, Value string }

	arrayView struct {
		Name      string
		Facts     []fact
		Picture   *pictureView
		Value     string
		NoPicture string
		Errors    *errorsView
		path      string
	}
	pictureView struct {
		Image            template.URL
		Line             template.HTML
		Alt, Ratio       string
		Gradient         template.CSS
		Low, High, Units string
		Caption          string
		Histogram        template.HTML
	}
	errorsView struct {
		Chart   template.HTML
		Caption string
	}
)

// arrayViews describes the arrays of the target, without pictures. It knows none if no run has left
// its description.
func arrayViews(d *Document) []arrayView {
	if d.Migration == nil {
		return nil
	}
	digests, deviations := map[string]digest.Optional{}, map[string]deviation.Deviation{}
	if d.Verification != nil {
		digests = d.Verification.Digests
		for _, v := range d.Verification.Deviations {
			deviations[v.Array] = v
		}
	}
	var list []arrayView
	for _, a := range d.Migration.Arrays {
		v := arrayView{Name: "/" + a.Target, path: a.Target}
		add := func(name, value string) {
			if value != "" {
				v.Facts = append(v.Facts, fact{name, value})
			}
		}
		if a.Source != a.Target {
			add("source", "/"+a.Source)
		}
		add("type", strings.Trim(string(a.DataType), `"`))
		add("shape", shapeText(a.Shape, a.Dimensions))
		if a.Shards != nil {
			add("shards", shapeText(a.Shards, nil))
			add("inner chunks", shapeText(a.Chunks, nil))
		} else {
			add("chunks", shapeText(a.Chunks, nil))
		}
		add("fill value", string(a.Fill))
		add("codecs", codecsText(a.Codecs))
		add("path", strings.TrimSuffix(a.Path+": "+a.Reason, ": "))
		if to := a.Append; to != nil {
			add("appended", fmt.Sprintf("%s along %s, after %d", words.Count(to.New, "row"), to.Dimension, to.Rows))
		}
		add("stored", storedText(a))
		if i := a.ReadBy; i >= 0 && i < len(d.Migration.Readers) {
			add("readers", readersText(d.Migration.Readers[i]))
		}
		sum := a.Digest
		if verified, ok := digests[a.Target]; ok {
			sum = verified
		}
		if sum.Known {
			text := sum.Sum.String()
			if sum.Behind > 0 {
				text += fmt.Sprintf(" of the elements after %s", words.Count(int(sum.Behind), "codec"))
			}
			add("digest", text)
		}
		if e, ok := deviations[a.Target]; ok && len(e.Errors) > 0 {
			v.Errors = &errorsView{errorsChart(e), fmt.Sprintf("Errors of the %d of %d elements that differ. Bars that go up are elements greater than in the source, bars that go down are less. Each bar covers a factor of two.", e.Unequal, e.Elements)}
		}
		list = append(list, v)
	}
	return list
}

// show makes the picture of an array, or its value if it has a single one.
func (a *arrayView) show(s *sample) error {
	if s.rows*s.columns == 1 {
		a.Value = short(s.values[0])
		return nil
	}
	low, high := s.span()
	v := &pictureView{Low: short(low), High: short(high), Units: s.units, Gradient: gradient(), Histogram: s.histogram()}
	caption := fmt.Sprintf("%s from %s to %s", s.x.name, s.x.from, s.x.to)
	if s.x.units != "" {
		caption += " " + s.x.units
	}
	if s.rows == 1 {
		v.Line = s.line()
		caption = "Values along " + caption
	} else {
		var err error
		if v.Image, err = s.picture(); err != nil {
			return err
		}
		ratio := float64(s.x.last-s.x.first+1) / float64(s.y.last-s.y.first+1)
		v.Ratio = fmt.Sprintf("%.3f", min(max(ratio, 0.8), 4))
		upwards := ", downwards"
		if s.y.upwards {
			upwards = ", upwards"
		}
		caption = fmt.Sprintf("%s%s: %s from %s to %s", strings.ToUpper(caption[:1])+caption[1:], upwards, s.y.name, s.y.from, s.y.to)
		if s.y.units != "" {
			caption += " " + s.y.units
		}
		v.Alt = "a slice of " + a.Name + " in colours"
	}
	if len(s.at) > 0 {
		caption += "; " + strings.Join(s.at, ", ")
	}
	if s.x.step > 1 || s.y.step > 1 {
		caption += fmt.Sprintf("; one value of each %d × %d", s.y.step, s.x.step)
	}
	if s.missing > 0 {
		caption += fmt.Sprintf("; %.3g%% missing (grey)", 100*float64(s.missing)/float64(len(s.values)))
	}
	v.Caption = caption + "."
	a.Picture = v
	return nil
}

func storedText(a Array) string {
	parts := []string{fmt.Sprintf("%s of elements in %s", words.Size(a.BytesRead), words.Count(a.Objects-a.Empty, "object"))}
	if a.BytesOut > 0 {
		parts = append(parts, fmt.Sprintf("of %s, ratio %.2f", words.Size(a.BytesOut), float64(a.BytesRead)/float64(a.BytesOut)))
	}
	if a.Empty > 0 {
		parts = append(parts, words.Count(a.Empty, "chunk")+" of only the fill value not stored")
	}
	return strings.Join(parts, ", ")
}

// readersText lists the programs that read an array, and those that do not.
func readersText(list []preview.ReadBy) string {
	var yes, no []string
	for _, by := range list {
		switch {
		case by.Refused != nil:
			no = append(no, by.Reader)
		case by.From != "":
			yes = append(yes, by.Reader+" ≥ "+by.From)
		default:
			yes = append(yes, by.Reader)
		}
	}
	text := cmp.Or(strings.Join(yes, ", "), "none that is known")
	if len(no) > 0 {
		text += "; not " + strings.Join(no, ", ")
	}
	return text
}

func codecsText(list []Codec) string {
	var parts []string
	for _, c := range list {
		text := c.Name
		var fields bytes.Buffer
		if json.Compact(&fields, c.Configuration) == nil && fields.String() != "{}" {
			text += " " + fields.String()[:min(fields.Len(), 120)]
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func shapeText(shape []int, names []string) string {
	if len(shape) == 0 {
		return "scalar"
	}
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = fmt.Sprint(n)
		if i < len(names) && names[i] != "" {
			parts[i] = names[i] + " " + parts[i]
		}
	}
	return strings.Join(parts, " × ")
}
