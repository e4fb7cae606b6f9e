package netcdf

import (
	"bytes"
	"slices"
	"sync"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// chains binds codec chains and remembers some of them, because thousands of files may
// have the same chains. It is safe for concurrent use.
type chains struct {
	registry *codecs.Registry

	mu    sync.Mutex
	known []boundChain // the newest last
}

// boundChain is a chain, with the arguments of bind that gave it.
type boundChain struct {
	specs []codecs.Spec
	chunk codecs.Chunk
	chain *codecs.Chain
}

// mostChains is the most chains that are remembered.
const mostChains = 64

// bind returns the result of [codecs.Registry.Bind].
func (c *chains) bind(specs []codecs.Spec, chunk codecs.Chunk) (*codecs.Chain, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.known {
		same := func(a, b codecs.Spec) bool { return a.Name == b.Name && bytes.Equal(a.Configuration, b.Configuration) }
		if slices.EqualFunc(k.specs, specs, same) && slices.Equal(k.chunk.Shape, chunk.Shape) && bytes.Equal(k.chunk.Fill, chunk.Fill) && dtype.Same(k.chunk.Type, chunk.Type) {
			return k.chain, nil
		}
	}
	chain, err := c.registry.Bind(specs, chunk)
	if err != nil {
		return nil, err
	}
	if len(c.known) == mostChains {
		c.known = slices.Delete(c.known, 0, 1)
	}
	c.known = append(c.known, boundChain{specs, chunk, chain})
	return chain, nil
}
