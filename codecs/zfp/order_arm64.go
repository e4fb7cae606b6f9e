//go:build !purego

package zfp

// A sorting has indexes of 64 bytes.
type sorting [64]uint8

// collected32 and collected64 return where a kernel collects the byte of the value at a
// place of the block.
func collected32(at int) int { return at }
func collected64(at int) int { return at }

// add sets the indexes for coefficient i, whose byte is collected at a place.
func (p *sortingPair) add(i, at int) {
	p.collect[i], p.spread[at] = uint8(at), uint8(i)
}
