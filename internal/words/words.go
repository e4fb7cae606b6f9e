// Package words spells numbers for people, and matches texts that people wrote.
package words

import (
	"fmt"
	"strconv"
	"strings"
)

// Size spells a number of bytes, such as 1.5 MiB.
func Size(n int64) string {
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

// Count spells a number with its noun: 1 array, 2 arrays, 3 entries.
func Count(n int, noun string) string {
	if n != 1 {
		if base, ok := strings.CutSuffix(noun, "ry"); ok {
			noun = base + "rie"
		}
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Shape spells extents, such as 12 × 90 × 180. Without extents it is scalar.
func Shape(extents []int) string {
	if len(extents) == 0 {
		return "scalar"
	}
	parts := make([]string, len(extents))
	for i, n := range extents {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, " × ")
}
