//go:build !purego

package zstd

// Kernels for any amd64 processor do the same as lookUpPlain, lookUpLongPlain and
// verifyPlain. They prefetch the earlier places, because loading these takes most of
// the time. They get a pointer to the content at the first position of the run.

//go:noescape
func lookUpKernel(hits *hit, table *uint32, at *byte, r *run) int

//go:noescape
func lookUpLongKernel(hits *hit, count int, table *uint32, at *byte, r *run)

//go:noescape
func verifyKernel(hits *hit, count int, at *byte, r *run) int

func lookUp(hits *[runMost]hit, table []uint32, src []byte, r *run) int {
	return lookUpKernel(&hits[0], &table[0], &src[r.at], r)
}

func lookUpLong(hits []hit, table []uint32, src []byte, r *run) {
	if len(hits) > 0 {
		lookUpLongKernel(&hits[0], len(hits), &table[0], &src[r.at], r)
	}
}

func verify(hits []hit, src []byte, r *run) int {
	if len(hits) == 0 {
		return 0
	}
	return verifyKernel(&hits[0], len(hits), &src[r.at], r)
}
