package zstd

import "slices"

// The sample of a block from which its layout is judged.
const (
	sampleParts = 16
	samplePart  = 64 // bytes
	sampleTotal = sampleParts * samplePart
)

// findLayout tells whether a block seems to hold numbers of 2, 4 or 8 bytes, and how to
// look for copies in it. In such a block, bytes differ less from the bytes one number
// before than from the bytes between. It judges by a sample.
func findLayout(block []byte) (l layout, ok bool) {
	if len(block) < 2*sampleTotal {
		return layout{}, false
	}
	var differ [9][8]int // by distance and position
	distances := [...]int{1, 2, 3, 4, 8}
	for part := range sampleParts {
		at := 8 + (len(block)-8-samplePart)/sampleParts*part&^7
		stretch := block[at-8 : at+samplePart]
		for i := 8; i < len(stretch); i++ {
			for _, d := range distances {
				if stretch[i] != stretch[i-d] {
					differ[d][i&7]++
				}
			}
		}
	}
	for _, size := range []int{2, 4, 8} {
		least := sampleTotal
		for _, d := range distances {
			if d < size {
				least = min(least, sum(differ[d][:]))
			}
		}
		if n := sum(differ[size][:]); n > sampleTotal/7 && 10*n <= 9*least {
			return layoutOf(size, &differ[size]), true
		}
	}
	return layout{}, false
}

// layoutOf returns the layout of numbers of the given size. differ tells, for each
// position of eight bytes, how often the byte differs from the byte one number before.
// Copies are looked for behind the bytes that differ most. The bytes that follow and
// the whole next number must be equal, as far as width tells; for numbers of eight
// bytes, most bytes of one number.
func layoutOf(size int, differ *[8]int) layout {
	for i := size; i < len(differ); i++ {
		differ[i%size] += differ[i]
	}
	most := slices.Max(differ[:size])
	phase, drop := 0, -1
	for i, n := range differ[:size] {
		before := differ[(i+size-1)%size]
		if 10*before >= 9*most && before-n > drop {
			phase, drop = i, before-n
		}
	}
	step := min(size, 4)
	l := layout{size: size, step: step, phase: phase % step, width: 5}
	if size == 4 {
		l.width = 6
	}
	return l
}

func sum(list []int) (total int) {
	for _, n := range list {
		total += n
	}
	return total
}
