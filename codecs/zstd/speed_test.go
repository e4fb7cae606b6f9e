//go:build linux

package zstd_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"

	klauspost "github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/codecs/codectest"
	"github.com/zmigrate/zmigrate/codecs/internal/python"
	"github.com/zmigrate/zmigrate/codecs/shuffle"
	"github.com/zmigrate/zmigrate/codecs/zstd"
)

// kind is a kind of data that chunks hold.
type kind struct {
	name string
	make func(random *rand.Rand, n int) []byte
}

// float32s returns what makes float32 numbers, little-endian.
func float32s(at func(random *rand.Rand, i int) float64) func(*rand.Rand, int) []byte {
	return func(random *rand.Rand, n int) (out []byte) {
		for i := range n / 4 {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(at(random, i))))
		}
		return out
	}
}

// float64s returns what makes float64 numbers, little-endian.
func float64s(at func(random *rand.Rand, i int) float64) func(*rand.Rand, int) []byte {
	return func(random *rand.Rand, n int) (out []byte) {
		for i := range n / 8 {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(at(random, i)))
		}
		return out
	}
}

// integers returns what makes integers of some bytes each, little-endian.
func integers(size int, at func(random *rand.Rand, i int) int) func(*rand.Rand, int) []byte {
	return func(random *rand.Rand, n int) (out []byte) {
		for i := range n / size {
			v := uint64(at(random, i))
			for k := range size {
				out = append(out, byte(v>>(8*k)))
			}
		}
		return out
	}
}

// texts returns what makes texts of lines.
func texts(line func(random *rand.Rand, i int) string) func(*rand.Rand, int) []byte {
	return func(random *rand.Rand, n int) (out []byte) {
		for i := 0; len(out) < n; i++ {
			out = append(out, line(random, i)...)
		}
		return out[:n]
	}
}

// shuffled returns what makes the shuffled bytes of other data.
func shuffled(size int, of func(*rand.Rand, int) []byte) func(*rand.Rand, int) []byte {
	return func(random *rand.Rand, n int) []byte {
		src := of(random, n)
		out := make([]byte, len(src))
		shuffle.EncodeBytes(out, src, size)
		return out
	}
}

// kinds lists kinds of data. The data depend only on their size.
func kinds() []kind {
	smooth := func(i int) float64 { return 280 + 20*math.Sin(float64(i)/300) + 3*math.Sin(float64(i)/17) }
	noisy := float32s(func(random *rand.Rand, i int) float64 { return smooth(i) + random.NormFloat64()/4 })
	exact := float32s(func(_ *rand.Rand, i int) float64 { return smooth(i) })
	rounded := float32s(func(random *rand.Rand, i int) float64 {
		return math.Round(1024*(smooth(i)+random.Float64()/64)) / 1024
	})
	decimal := float64s(func(random *rand.Rand, i int) float64 {
		return math.Round(100*(smooth(i)+random.NormFloat64()/10)) / 100
	})
	counts := func(random *rand.Rand, i int) int {
		mean := 100 + 80*math.Sin(float64(i)/5000)
		return int(mean + math.Sqrt(mean)*random.NormFloat64())
	}
	jittered := integers(8, func(random *rand.Rand, i int) int { return 1700000000 + 60*i + random.IntN(3) })
	return []kind{
		{"float32 smooth", exact},
		{"float32 noisy", noisy},
		{"float32 rounded", rounded},
		{"float64 decimal", decimal},
		{"float32 smooth, shuffled", shuffled(4, exact)},
		{"float32 noisy, shuffled", shuffled(4, noisy)},
		{"float32 rounded, bits shuffled", func(random *rand.Rand, n int) []byte {
			src := rounded(random, n)
			out := make([]byte, len(src))
			shuffle.EncodeBits(out, src, 4)
			return out
		}},
		{"float64 decimal, split", shuffled(8, decimal)},
		{"int16 counts", integers(2, counts)},
		{"int32 counts", integers(4, counts)},
		{"int16 counts, shuffled", shuffled(2, integers(2, counts))},
		{"int64 times", jittered},
		{"int64 times, shuffled", shuffled(8, jittered)},
		{"int32 ids", integers(4, func(random *rand.Rand, _ int) int { return random.IntN(40) * random.IntN(40) })},
		{"float32 sparse", float32s(func(random *rand.Rand, i int) float64 {
			if i/500%10 > 0 {
				return -9999
			}
			return smooth(i) + random.NormFloat64()/4
		})},
		{"uint8 mask", func(random *rand.Rand, n int) (out []byte) {
			for len(out) < n {
				out = append(out, bytes.Repeat([]byte{byte(random.IntN(3))}, 1+random.IntN(400))...)
			}
			return out[:n]
		}},
		{"CSV", texts(func(random *rand.Rand, i int) string {
			return fmt.Sprintf("2024-03-%02dT%02d:%02d:00Z,%d,%.2f,%.1f\n", 1+i/1440%28, i/60%24, i%60, 1000+random.IntN(30), smooth(i)+random.NormFloat64(), 100*random.Float64())
		})},
		{"words", func(_ *rand.Rand, n int) []byte { return codectest.Words(n) }},
		{"JSON", texts(func(random *rand.Rand, i int) string {
			return fmt.Sprintf(`{"id":%d,"lat":%.3f,"lon":%.3f,"quality":"%s","ok":%t},`, i, 90*random.Float64(), 180*random.Float64(),
				[]string{"good", "bad", "unknown"}[random.IntN(3)], random.IntN(3) > 0)
		})},
		{"constant", func(_ *rand.Rand, n int) []byte { return bytes.Repeat([]byte{0, 0, 0xc0, 0x7f}, n/4) }},
		{"random", func(random *rand.Rand, n int) []byte {
			return integers(1, func(random *rand.Rand, _ int) int { return random.IntN(256) })(random, n)
		}},
		{"compressed", func(_ *rand.Rand, n int) []byte {
			var out bytes.Buffer
			w, err := flate.NewWriter(&out, 1)
			if err != nil {
				panic(err)
			}
			if _, err := w.Write(codectest.Words(4 * n)); err != nil {
				panic(err)
			}
			if err := w.Close(); err != nil {
				panic(err)
			}
			return out.Bytes()[:n]
		}},
	}
}

// files returns as kinds the contents of files, whatever the size.
func files(t *testing.T, pattern string) (list []kind) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no files %s (%v)", pattern, err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, kind{filepath.Base(name), func(*rand.Rand, int) []byte { return content }})
	}
	return list
}

// TestSpeed compares the codec "zstd" with the encoders of klauspost/compress and libzstd, for many
// kinds of data, sizes and levels. ZMIGRATE_CELLS is a regular expression that chooses from the names of the cells, such as
// "JSON 16KiB level 3". ZMIGRATE_FILES is a pattern of the names of files that are measured instead.
func TestSpeed(t *testing.T) {
	if os.Getenv("ZMIGRATE_SPEED") != "1" {
		t.Skip("set ZMIGRATE_SPEED=1 to measure for some minutes")
	}
	cells := regexp.MustCompile(os.Getenv("ZMIGRATE_CELLS"))
	peer := python.Start(t, "zstandard._cffi", filepath.Join("testdata", "libzstd_speed.py"))
	ours, theirs := map[int]*zstd.Encoder{}, map[int]*klauspost.Encoder{}
	for level := 1; level <= 9; level++ {
		ours[level] = encoder(t, zstd.Options{Level: level})
		e, err := klauspost.NewWriter(nil, klauspost.WithEncoderConcurrency(1), klauspost.WithEncoderCRC(false),
			klauspost.WithEncoderLevel(klauspost.EncoderLevelFromZstd(level)), klauspost.WithAllLitEntropyCompression(true))
		if err != nil {
			t.Fatal(err)
		}
		theirs[level] = e
	}
	t.Logf("%-32s %7s %5s  %8s  %9s %9s  %9s %9s", "data", "size", "level", "MB/s", "speed/k", "speed/l", "size/k", "size/l")
	lost := 0
	list, sizes := kinds(), []int{16 << 10, 256 << 10, 4 << 20}
	if pattern := os.Getenv("ZMIGRATE_FILES"); pattern != "" {
		list, sizes = files(t, pattern), []int{0}
	}
	for _, k := range list {
		for _, size := range sizes {
			var src []byte
			for level := 1; level <= 9; level++ {
				if !cells.MatchString(fmt.Sprintf("%s %dKiB level %d", k.name, size>>10, level)) {
					continue
				}
				if src == nil {
					src = k.make(rand.New(rand.NewPCG(1, 2)), size)
				}
				dst := make([]byte, 0, zstd.MaxEncodedSize(len(src))+1<<10)
				var our, their, lib measured
				for range 3 {
					their.measure(t, func() int { return len(theirs[level].EncodeAll(src, dst[:0])) })
					our.measure(t, func() int { return len(ours[level].AppendEncode(dst[:0], src)) })
					lib.ask(t, peer, src, level, their.repeat())
				}
				speedK, speedL := ratio(their.time, our.time), ratio(lib.time, our.time)
				sizeK, sizeL := float64(our.size)/float64(their.size), float64(our.size)/float64(lib.size)
				mark := ""
				if speedK < 0.95 || speedL < 0.95 || sizeL > 1.01 {
					mark = "  <"
					lost++
				}
				t.Logf("%-32s %4dKiB %5d  %8.0f  %9.2f %9.2f  %9.3f %9.3f%s", k.name, len(src)>>10, level,
					float64(len(src))/our.time.Seconds()/1e6, speedK, speedL, sizeK, sizeL, mark)
			}
		}
	}
	t.Logf("%d cells where another encoder is faster by 5 %%, or frames of libzstd smaller by 1 %%", lost)
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }

// measured is the shortest time that an encoder took, and the size of its frame.
type measured struct {
	time time.Duration
	size int
}

// repeat returns how often to repeat what takes so long.
func (m *measured) repeat() int {
	const least = 6 * time.Millisecond
	return int(min(max(1, least/max(1, m.time)), 200))
}

func (m *measured) measure(t testing.TB, encode func() int) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i := 0; i == 0 || i < m.repeat(); i++ {
		start := threadTime(t)
		m.size = encode()
		m.add(threadTime(t) - start)
	}
}

// ask has libzstd measured by the script.
func (m *measured) ask(t *testing.T, peer io.ReadWriter, src []byte, level, repeat int) {
	t.Helper()
	head := binary.LittleEndian.AppendUint32(nil, uint32(level))
	head = binary.LittleEndian.AppendUint32(head, uint32(repeat))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(src)))
	if _, err := peer.Write(slices.Concat(head, src)); err != nil {
		t.Fatal(err)
	}
	var answer [12]byte
	if _, err := io.ReadFull(peer, answer[:]); err != nil {
		t.Fatal(err)
	}
	m.size = int(binary.LittleEndian.Uint32(answer[:]))
	m.add(time.Duration(binary.LittleEndian.Uint64(answer[4:])))
}

func (m *measured) add(d time.Duration) {
	if m.time == 0 || d < m.time {
		m.time = d
	}
}

// threadTime returns the processor time of this thread.
func threadTime(t testing.TB) time.Duration {
	t.Helper()
	const thread = 3 // CLOCK_THREAD_CPUTIME_ID
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, thread, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		t.Fatal(errno)
	}
	return time.Duration(now.Nano())
}
