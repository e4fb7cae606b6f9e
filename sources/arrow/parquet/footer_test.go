package parquet

import (
	"encoding/binary"
	"errors"
	"runtime"
	"testing"
)

// TestEmptyStructures has many structures without any field, of a byte each. They take
// no memory.
func TestEmptyStructures(t *testing.T) {
	const n = 1 << 16
	for name, head := range map[string][]byte{
		"elements of the schema": {0x29, 0xfc},
		"row groups":             {0x49, 0xfc},
		"column chunks":          {0x49, 0x1c, 0x19, 0xfc},
		"pairs":                  {0x59, 0xfc},
	} {
		data := append(binary.AppendUvarint(head, n), make([]byte, 16*n)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ParseFooter(data, 1<<40)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		if !errors.Is(err, ErrCorrupt) || allocated > n {
			t.Errorf("%d %s: %d bytes of memory, %v", n, name, allocated, err)
		}
	}
}
