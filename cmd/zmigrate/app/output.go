package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
)

// printJSON writes one JSON document on a line of its own. An error of
// standard output has nowhere to go.
func (a *app) printJSON(v any) {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

// printf writes a result for people.
func (a *app) printf(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }

// table writes rows with aligned columns, indented by two spaces.
func (a *app) table(rows [][]string) {
	var text bytes.Buffer // a tabwriter writes cell by cell
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintln(w, "  "+strings.Join(row, "\t"))
	}
	_ = w.Flush()
	_, _ = a.out.Write(text.Bytes())
}

// size spells a number of bytes in binary units.
func size(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	value, unit := float64(n)/1024, "KiB"
	for _, next := range []string{"MiB", "GiB", "TiB", "PiB", "EiB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, next
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}

// shape spells extents: "12 × 90 × 180", or "scalar".
func shape(extents []int) string {
	if len(extents) == 0 {
		return "scalar"
	}
	parts := make([]string, len(extents))
	for i, n := range extents {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, " × ")
}

// count spells a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
