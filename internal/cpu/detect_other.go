//go:build (!amd64 && !arm64) || purego

package cpu

const (
	baseline = "" // there are no kernels
	last     = Plain
)

func highest() Level { return Plain }
