package parquet

import (
	"math"
	"strconv"
	"strings"
)

// knownFaults corrects known faults of some writers, as other readers do.
func (f *File) knownFaults(size int64) {
	// PARQUET-816: the total size of a chunk lacks the header of its dictionary page.
	const header = 100
	short := f.olderThan("parquet-mr", 1, 2, 9)
	// ARROW-17100: pages of version 2 are compressed, although they say that they are
	// not.
	marked := f.olderThan("parquet-cpp", 2, 0, 0)
	// Parquet.jl, up to version 0.8 at least, writes 0 in place of each checksum.
	noSums := f.olderThan("Parquet.jl", math.MaxInt)
	for g := range f.Groups {
		for i := range f.Groups[g].Chunks {
			c := &f.Groups[g].Chunks[i]
			c.marked, c.noSums = marked, noSums
			if left := size - c.Offset - c.Compressed; short && c.Compressed >= 0 && c.Offset >= 0 && left > 0 {
				c.Compressed += min(header, left)
			}
		}
	}
}

// olderThan reports whether a program of the given name wrote the file, in a version
// before the given one. The name is the first word of the program's title. An unknown
// version counts as 0.0.0.
func (f *File) olderThan(name string, version ...int) bool {
	words := strings.Fields(f.Writer)
	if len(words) == 0 || !strings.EqualFold(words[0], name) {
		return false
	}
	var parts []string
	if len(words) > 2 && strings.EqualFold(words[1], "version") {
		parts = strings.SplitN(words[2], ".", len(version))
	}
	for i, than := range version {
		is := 0
		if i < len(parts) {
			digits := parts[i]
			if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
				digits = digits[:end]
			}
			is, _ = strconv.Atoi(digits) // 0 if there are no digits
		}
		if is != than {
			return is < than
		}
	}
	return false
}
