// Package filters decodes the filters of Zarr v2 that no codec of Zarr v3 replaces: texts
// in JSON or MessagePack, categories, and base64. Nothing writes them.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	codec.go       what the codecs have in common
//	base64.go      base64
//	categorize.go  categorize
//	items.go       lists of texts
//	json.go        json2
//	msgpack.go     msgpack2
//	registry.go    Registry
package filters
