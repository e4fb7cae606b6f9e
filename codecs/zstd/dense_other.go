//go:build !amd64 || purego

package zstd

func (p *parser) takeDense(table []uint32, src []byte, r *run) (long int) {
	return p.takeDensePlain(table, src, r)
}
