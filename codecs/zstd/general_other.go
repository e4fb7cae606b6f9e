//go:build !amd64 || purego

package zstd

func (p *parser) general(src []byte, from int, h history) { p.generalPlain(src, from, h) }

func (p *parser) quickly(src []byte, from int, h history) { p.quicklyPlain(src, from, h) }
