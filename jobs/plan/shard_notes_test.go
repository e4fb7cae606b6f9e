package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestShardNotes: notes say what shards cost if they are large or encoded whole.
func TestShardNotes(t *testing.T) {
	const whole, anew = "shards are encoded whole, ", "is begun anew"
	for _, c := range []struct {
		options string
		want    []string
	}{
		{"{chunks: [5, 3]}", nil},
		{"{chunks: [5, 3], shards: [10, 6]}", nil},
		{"{chunks: [5, 3], codecs: [{transpose: {order: [1, 0]}}, {sharding_indexed: {chunk_shape: [3, 1], codecs: [bytes]}}]}", nil},
		{"{chunks: [10, 6], codecs: [{sharding_indexed: {chunk_shape: [5, 6], codecs: [bytes]}}, crc32c]}", []string{whole + "240 B each"}},
		{"{chunks: [1024, 1024], shards: [8192, 8192]}", []string{"each shard holds 256.0 MiB of elements"}},
	} {
		p, err := New(t.Context(), jobtest.Raw(t, "arrays: {group/a: "+c.options+"}\n"), jobtest.Environment())
		if err != nil {
			t.Fatalf("%s: %v", c.options, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		var got []string
		for _, note := range p.Arrays[0].Notes {
			if strings.Contains(note, whole) || strings.Contains(note, anew) {
				got = append(got, note)
			}
		}
		if !slices.EqualFunc(c.want, got, func(want, got string) bool { return strings.HasPrefix(got, want) }) {
			t.Errorf("%s: %q, want %q", c.options, got, c.want)
		}
	}
}
