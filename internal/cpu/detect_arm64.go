//go:build !purego

package cpu

const (
	baseline = "neon"
	last     = Baseline
)

func highest() Level { return Baseline }
