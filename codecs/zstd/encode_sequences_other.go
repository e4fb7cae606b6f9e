//go:build !amd64 || purego

package zstd

func (h *history) code(dst []coded, src []sequence, counts *[codeKinds]codeCounts) {
	h.codePlain(dst, src, counts)
}

func (s *stream) put(sequences []coded) { s.putPlain(sequences) }
