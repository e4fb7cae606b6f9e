//go:build !amd64 || purego

package zstd

func lookUp(hits *[runMost]hit, table []uint32, src []byte, r *run) int {
	return lookUpPlain(hits, table, src, r)
}

func lookUpLong(hits []hit, table []uint32, src []byte, r *run) {
	lookUpLongPlain(hits, table, src, r)
}

func verify(hits []hit, src []byte, r *run) int { return verifyPlain(hits, src, r) }
