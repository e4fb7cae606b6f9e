package jobfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/internal/words"
)

// Clip shortens text from outside for a message: to at most the given number of bytes,
// with an ellipsis behind them.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// DidYouMean returns a hint that offers the candidate nearest to word, or the
// list of all candidates when none is near and they are few.
func DidYouMean(word string, candidates []string) string {
	if best, found := Nearest(word, candidates); found {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(candidates) > 0 && len(candidates) <= 16 {
		return "known here: " + strings.Join(slices.Sorted(slices.Values(candidates)), ", ")
	}
	return ""
}

// unknownKey returns a hint about a key that a mapping does not have. It knows the names that
// Zarr's metadata and other programs have for fields of job files.
func unknownKey(name string, known []string) string {
	ours := map[string]string{
		"compressor": "codecs", "compressors": "codecs", "compression": "codecs", "filters": "codecs", "serializer": "codecs", "encoding": "codecs",
		"chunk_shape": "chunks", "chunk_grid": "chunks", "chunk_size": "chunks", "chunksizes": "chunks", "chunksize": "chunks",
		"shard_shape": "shards", "dtype": "data_type", "dims": "dimension_names", "dimensions": "dimension_names", "attrs": "attributes",
	}[name]
	switch {
	case slices.Contains(known, ours):
		return fmt.Sprintf("did you mean %q?", ours)
	case name == "zarr_format":
		return "targets are always Zarr v3"
	case slices.Contains(known, "source") && slices.Contains([]string{"driver", "url", "concat", "stack", "include", "exclude", "select"}, name):
		return "it stands below source, and begins further to the right"
	}
	return DidYouMean(name, known)
}

// Nearest returns the candidate that word may be a misspelling of. It returns false if there
// is none.
func Nearest(word string, candidates []string) (best string, found bool) {
	candidates = slices.Sorted(slices.Values(candidates))
	bestDistance := max(1, min(3, utf8.RuneCountInString(word)/3)) + 1
	for _, c := range candidates {
		if len(word) > len(c)+4*bestDistance || len(c) > len(word)+4*bestDistance {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance && d < utf8.RuneCountInString(word) {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// distance counts inserted, removed, replaced and swapped
// neighbouring characters between a and b (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(y)]
}

// unlessListed drops a hint that lists all candidates, for a message that lists them
// already.
func unlessListed(hint string) string {
	if strings.HasPrefix(hint, "known here") {
		return ""
	}
	return hint
}

// QuoteJSON returns s as a JSON string, with <, > and & as they are.
func QuoteJSON(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("jobfile: a string does not encode as JSON: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// SomeOf lists a few paths, and says how many more there are.
func SomeOf(paths []string) string {
	const most = 3
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
}

// shellVariable matches a part of a path that a shell would replace, such as $USER.
var shellVariable = words.Pattern(`(?:^|/)(\$[A-Z_][A-Z0-9_]*)(?:/|$)`)

// Unreplaced says what a path has that only a shell replaces, and what to write, or "".
func Unreplaced(text string) string {
	if strings.Contains(text, "://") {
		return ""
	}
	if text == "~" || strings.HasPrefix(text, "~/") {
		return "a shell replaces ~ only where it stands without quotes: write $HOME, or ${HOME} in a job file"
	}
	if m := shellVariable().FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("a shell replaces %s only outside of single quotes, and a job file has ${%s}", m[1], m[1][1:])
	}
	return ""
}
