package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
)

// viridis is the colour map viridis of matplotlib (CC0) at ten places. The colour-blind can
// read it, and so can readers of a print in grey. It does not contain the colour grey.
var viridis = [...]color.RGBA{
	{0x44, 0x01, 0x54, 255}, {0x48, 0x28, 0x78, 255}, {0x3e, 0x49, 0x89, 255}, {0x31, 0x68, 0x8e, 255}, {0x26, 0x82, 0x8e, 255},
	{0x1f, 0x9e, 0x89, 255}, {0x35, 0xb7, 0x79, 255}, {0x6e, 0xce, 0x58, 255}, {0xb5, 0xde, 0x2b, 255}, {0xfd, 0xe7, 0x25, 255},
}

// grey is the colour of missing data.
var grey = color.RGBA{0xcc, 0xcc, 0xcc, 255}

// colourOf returns the colour at a place of the colour map, from 0 to 1.
func colourOf(part float64) color.RGBA {
	at := min(max(part, 0), 1) * float64(len(viridis)-1)
	i := min(int(at), len(viridis)-2)
	a, b, f := viridis[i], viridis[i+1], at-float64(i)
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + f*(float64(y)-float64(x)))) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// gradient returns the colour map as a value of a style sheet.
func gradient() template.CSS {
	var stops []string
	for _, c := range viridis {
		stops = append(stops, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))
	}
	return template.CSS("linear-gradient(to right," + strings.Join(stops, ",") + ")") //nolint:gosec // made of constants
}

// span returns the values that get the first and the last colour: the 2nd and the 98th
// percentile. If they were the least and the greatest value, a few extreme values could
// leave all others with one colour.
func (s *sample) span() (low, high float64) {
	var known []float64
	for _, v := range s.values {
		if !math.IsNaN(v) {
			known = append(known, v)
		}
	}
	if len(known) == 0 {
		return 0, 0
	}
	slices.Sort(known)
	return known[len(known)*2/100], known[(len(known)-1)*98/100]
}

// picture draws a plane as a PNG, and returns it as a data URL. If the coordinates of the
// rows grow, the last row is at the top.
func (s *sample) picture() (template.URL, error) {
	low, high := s.span()
	img := image.NewRGBA(image.Rect(0, 0, s.columns, s.rows))
	for i := range s.rows {
		row := i
		if s.y.upwards {
			row = s.rows - 1 - i
		}
		for j := range s.columns {
			c := grey
			if v := s.values[i*s.columns+j]; !math.IsNaN(v) {
				part := 0.5
				if high > low {
					part = (v - low) / (high - low)
				}
				c = colourOf(part)
			}
			img.SetRGBA(j, row, c)
		}
	}
	var text bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&text, img); err != nil {
		return "", err
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(text.Bytes())), nil //nolint:gosec // base64
}
