package zarr

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
)

// TestUnusedSpace reads shards with bytes that no inner chunk has. Writers that replace inner chunks
// in a shard leave the old ones there, so the shard may be larger than all of its inner chunks.
func TestUnusedSpace(t *testing.T) {
	junk := strings.Repeat("\xaa", 5000)
	for name, test := range map[string]struct{ codecs, first, second string }{
		"plain":    {`"bytes"`, "\x01\x02", "\x03\x04"},
		"checksum": {`"bytes","crc32c"`, "\x01\x02\x52\x9f\xf8\x03", ""},
	} {
		index := binary.LittleEndian.AppendUint64(nil, uint64(len(junk)))
		index = binary.LittleEndian.AppendUint64(index, uint64(len(test.first)))
		want := []byte{1, 2, 7, 7}
		if test.second != "" {
			index = binary.LittleEndian.AppendUint64(index, uint64(len(junk)*2+len(test.first)))
			index = binary.LittleEndian.AppendUint64(index, uint64(len(test.second)))
			want = []byte{1, 2, 3, 4}
		} else {
			index = append(index, strings.Repeat("\xff", 16)...)
		}
		shard := junk + test.first + junk + test.second + junk + string(index)
		s := memorySource(t, map[string]string{
			"zarr.json": v3Document(4, 4, fmt.Sprintf(`"data_type":"uint8","fill_value":7,"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[%s],"index_codecs":["bytes"]}}]`, test.codecs)),
			"c/0":       shard,
		}, Options{})
		opened, err := s.Array(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{4, 3} {
			got := ndarray.New(dtype.Uint8, []int{n})
			if err := opened.ReadRegion(t.Context(), got, []int{0}); err != nil || !cmp.Equal(got.Data[:n], want[:n]) {
				t.Errorf("%s: %d elements: %v, want %v, error %v", name, n, got.Data[:n], want[:n], err)
			}
		}
		stored := sources.AsStored(opened)
		in, err := stored.OpenStored(t.Context(), []int{0})
		if err == nil {
			err = stored.VerifyStored(t.Context(), []int{0}, in)
		}
		if err != nil {
			t.Errorf("%s: verified as it is stored: %v", name, err)
		}
	}
}
