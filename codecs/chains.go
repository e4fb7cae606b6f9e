package codecs

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"sync"
)

// Chains binds chains and keeps them, so that thousands of arrays with equal codecs and
// chunks share one chain. It is safe for concurrent use.
type Chains struct {
	registry *Registry

	mu    sync.Mutex
	count int
	known map[string][]boundChain // by what chainKey returns
}

// boundChain is a chain with the chunk that it is bound to.
type boundChain struct {
	in    Chunk
	chain *Chain
}

// mostChains is how many chains are kept. When there are more, all are forgotten:
// arrays with so many different chains have little to share.
const mostChains = 1024

// NewChains returns an empty Chains that binds the codecs of a registry.
func NewChains(r *Registry) *Chains { return &Chains{registry: r} }

// Bind is [Registry.Bind], but returns the same chain for equal arguments.
func (c *Chains) Bind(specs []Spec, in Chunk) (*Chain, error) {
	key := chainKey(specs, in)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.known[key] {
		if reflect.DeepEqual(k.in.Type, in.Type) {
			return k.chain, nil
		}
	}
	chain, err := c.registry.Bind(specs, in)
	if err != nil {
		return nil, err
	}
	if c.count == mostChains || c.known == nil {
		c.count, c.known = 0, map[string][]boundChain{}
	}
	c.count++
	c.known[key] = append(c.known[key], boundChain{in, chain})
	return chain, nil
}

// chainKey returns a text of everything that a chain is bound to, except the data type.
func chainKey(specs []Spec, in Chunk) string {
	var key []byte
	for _, s := range specs {
		key = strconv.AppendQuote(key, s.Name)
		key = append(key, bytes.TrimSpace(s.Configuration)...)
		key = append(key, 0)
	}
	for _, n := range in.Shape {
		key = append(strconv.AppendInt(key, int64(n), 10), ',')
	}
	if in.Fill != nil { // no fill value differs from an empty one, which a type of variable size can have
		key = append(key, '=')
	}
	return string(slices.Concat(key, in.Fill))
}
