package readers

import (
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/zarr"
)

func noOpaqueShards(a *zarr.Array, specs []codecs.Spec) Refusal {
	if name := a.Type.Name(); (name == "raw_bytes" || name == "struct") && has(specs, "sharding_indexed") {
		return Refusal{"shards", "shards of the data type " + name, "leave out shards"}
	}
	return Refusal{}
}

// shardsLast refuses codecs behind shards, also within shards.
func shardsLast(a *zarr.Array, _ []codecs.Spec) Refusal {
	for chain := a.Codecs; ; {
		at := slices.IndexFunc(chain, isShards)
		if at < 0 {
			return Refusal{}
		}
		if at < len(chain)-1 {
			return Refusal{"codecs", "a codec behind sharding_indexed", "that codec within sharding_indexed"}
		}
		var c struct {
			Codecs []codecs.Spec `json:"codecs"`
		}
		_ = json.Unmarshal(chain[at].Configuration, &c) // binding has checked it
		chain = c.Codecs
	}
}

// shardsDivide refuses shards whose inner chunks do not divide the chunk of the grid. Shards
// behind a transpose may be such ones. zarr-python compares the two as if they were not transposed.
func shardsDivide(a *zarr.Array, _ []codecs.Spec) Refusal {
	at := slices.IndexFunc(a.Codecs, isShards)
	if at <= 0 {
		return Refusal{}
	}
	var c struct {
		Chunk []int `json:"chunk_shape"`
	}
	_ = json.Unmarshal(a.Codecs[at].Configuration, &c) // binding has checked it
	for i, n := range c.Chunk {
		if i < len(a.Grid.Chunk) && a.Grid.Chunk[i]%n != 0 {
			return Refusal{"codecs", "transposed shards whose inner chunks do not divide the chunks of the array", "transpose within sharding_indexed"}
		}
	}
	return Refusal{}
}

func isShards(s codecs.Spec) bool { return s.Name == "sharding_indexed" }

// shardsAlone refuses what zarrita.js does not do with shards.
func shardsAlone(a *zarr.Array, specs []codecs.Spec) Refusal {
	at := slices.IndexFunc(a.Codecs, isShards)
	if at < 0 {
		return Refusal{}
	}
	var c struct {
		Location string `json:"index_location"`
	}
	_ = json.Unmarshal(a.Codecs[at].Configuration, &c) // binding has checked it
	nested := 0
	for _, s := range specs {
		if s.Name == "sharding_indexed" {
			nested++
		}
	}
	switch {
	case len(a.Codecs) > 1:
		return Refusal{"codecs", "a codec beside sharding_indexed", "that codec within sharding_indexed"}
	case c.Location == "start":
		return Refusal{"codecs", "shards with their index at the start", "index_location: end"}
	case nested > 1:
		return Refusal{"codecs", "shards within shards", "shards alone"}
	}
	return Refusal{}
}

// offsetsInShards refuses scale_offset within shards if the array's data type cannot hold its offset, its
// scale, or what becomes of zero. zarr-python checks the inner codecs with that data type and with
// zero, whatever codecs are before the shards and whatever the fill value is.
func offsetsInShards(a *zarr.Array, specs []codecs.Spec) Refusal {
	inShards, name := false, a.Type.Name()
	for _, s := range specs {
		var c struct {
			Type   string      `json:"data_type"`
			Offset json.Number `json:"offset"`
			Scale  json.Number `json:"scale"`
		}
		_ = json.Unmarshal(s.Configuration, &c) // binding has checked it
		switch {
		case s.Name == "sharding_indexed":
			inShards = true
		case inShards && s.Name == "cast_value":
			name = c.Type
		case inShards && s.Name == "scale_offset":
			offset, okOffset := new(big.Rat).SetString(cmp.Or(c.Offset.String(), "0"))
			scale, okScale := new(big.Rat).SetString(cmp.Or(c.Scale.String(), "1"))
			if !okOffset || !okScale {
				continue // a float such as NaN
			}
			zero := new(big.Rat).Neg(offset)
			zero.Mul(zero, scale)
			if !integerHolds(name, offset) || !integerHolds(name, scale) || !integerHolds(name, zero) {
				return Refusal{"codecs", "scale_offset within shards, with an offset, a scale or a stored zero that " + name + " cannot hold", "scale_offset before sharding_indexed"}
			}
		}
	}
	return Refusal{}
}

// integerHolds reports whether a data type of integers holds a number. It returns true for other
// data types.
func integerHolds(name string, v *big.Rat) bool {
	unsigned := strings.HasPrefix(name, "uint")
	width, err := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(name, "u"), "int"))
	if !unsigned && !strings.HasPrefix(name, "int") || err != nil {
		return true
	}
	if !unsigned {
		width--
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(width))
	if !unsigned {
		low.Neg(high)
	}
	return v.IsInt() && v.Num().Cmp(low) >= 0 && v.Num().Cmp(high) < 0
}
