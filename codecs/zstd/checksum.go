package zstd

import "github.com/cespare/xxhash/v2"

// checksum returns the checksum at the end of a frame: the low half of the XXH64 of its
// content, with a seed of zero (RFC 8878, section 3.1.1).
func checksum(content []byte) uint32 { return uint32(xxhash.Sum64(content)) }
