package standard_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/codectest"
)

// encoded returns the encoding of src.
func encoded(t testing.TB, s codecs.Spec, src []byte) []byte {
	t.Helper()
	out, err := bound(t, s, codecs.Size{Max: len(src), Fixed: true}).AppendEncode(nil, src)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestZstdNoise has numbers whose low bytes are noise. Nothing repeats, but the high
// bytes can still be compressed.
func TestZstdNoise(t *testing.T) {
	src := codectest.Noisy(256 << 10)
	for _, c := range []struct{ level, atLeast, atMost int }{ // percent of src
		{-1, 90, 101}, {1, 70, 80}, {2, 65, 75}, {0, 65, 75}, {3, 65, 75}, {9, 65, 75}, {22, 70, 80},
	} {
		n := len(encoded(t, spec("zstd", fmt.Sprintf(`{"level":%d}`, c.level)), src))
		if percent := 100 * n / len(src); percent < c.atLeast || percent > c.atMost {
			t.Errorf("level %d: %d %% are left, want %d to %d", c.level, percent, c.atLeast, c.atMost)
		}
	}
}

// TestZstdDeterministic checks that earlier use of an encoder does not change its
// output.
func TestZstdDeterministic(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	others := [][]byte{codectest.Words(300_000), codectest.Noisy(70_000), make([]byte, 500_000)}
	src := append(append(codectest.Words(200_000), codectest.Noisy(20_000)...), codectest.Counts(50_000)...)
	for _, level := range []int{-131072, -1, 1, 3, 5, 6, 10, 22} {
		s := spec("zstd", fmt.Sprintf(`{"level":%d}`, level))
		want := encoded(t, s, src)
		used := bound(t, s, codecs.Size{Max: len(src)})
		for i := range 6 {
			if _, err := used.AppendEncode(nil, others[i%3][random.IntN(1000):]); err != nil {
				t.Fatal(err)
			}
			got, err := used.AppendEncode(nil, src)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("level %d: use %d gives other bytes", level, i)
			}
		}
	}
}

// TestZstdLevels checks that the levels 8 and 9 make the same frames of words, lower ones larger frames, and the
// library other ones from level 10 on.
func TestZstdLevels(t *testing.T) {
	src := codectest.Words(300_000)
	nine := encoded(t, spec("zstd", `{"level":9}`), src)
	for _, level := range []int{5, 6, 7, 8, 10} {
		frame := encoded(t, spec("zstd", fmt.Sprintf(`{"level":%d}`, level)), src)
		if got, same := bytes.Equal(frame, nine), level == 8; got != same {
			t.Errorf("level %d: is the frame that of level 9: %t, want %t", level, got, same)
		}
		if level < 8 && len(frame) <= len(nine) {
			t.Errorf("level %d: %d bytes, level 9 leaves %d", level, len(frame), len(nine))
		}
	}
}

// TestDeflateRuns checks that the highest level of DEFLATE is never the worse one.
func TestDeflateRuns(t *testing.T) {
	src := make([]byte, 1<<20)
	for i := range src {
		src[i] = byte(i / 5000)
	}
	for _, name := range []string{"gzip", "numcodecs.gzip", "numcodecs.zlib"} {
		eight, nine := encoded(t, spec(name, `{"level":8}`), src), encoded(t, spec(name, `{"level":9}`), src)
		if len(nine) > len(eight) {
			t.Errorf("%s: level 9 leaves %d bytes, level 8 %d", name, len(nine), len(eight))
		}
	}
}
