//go:build linux

package szip_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/zmigrate/zmigrate/codecs/szip"
)

// TestInteropSpeed compares the processor time of decoding with that of libaec. Runs of
// both take turns.
func TestInteropSpeed(t *testing.T) {
	if os.Getenv("ZMIGRATE_SPEED") != "1" {
		t.Skip("set ZMIGRATE_SPEED=1 to measure for half a minute")
	}
	p := findPeer(t)
	for _, c := range cases() {
		ours, theirs := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
		d, err := szip.NewDecoder(c.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		got, scratch, length := make([]byte, len(c.content)), make([]byte, d.Scratch(len(c.content))), 0
		for range 7 {
			stream, took := p.encode(t, c.Parameters, c.content, 3)
			theirs, length = min(theirs, took), len(stream)
			ours = min(ours, best(t, 3, func() error { return d.Decode(got, stream, scratch) }))
		}
		t.Logf("%-28s stored %5.1f %%  %6.0f MB/s, %.2f times libaec's speed", c.name, 100*float64(length)/float64(len(got)),
			float64(len(got))/ours.Seconds()/1e6, theirs.Seconds()/ours.Seconds())
	}
}

type speedCase struct {
	name string
	szip.Parameters
	content []byte
}

// cases returns 2 MiB of several kinds.
func cases() []speedCase {
	const bytes = 2 << 20
	random := rand.New(rand.NewPCG(3, 4))
	walk := func(width int, step float64, value func(x float64) uint64) []byte {
		var content []byte
		x := 0.5
		for len(content) < bytes {
			if x += random.NormFloat64() * step; x < 0 || x > 1 {
				x = 0.5
			}
			content = append(content, binary.LittleEndian.AppendUint64(nil, value(x))[:width]...)
		}
		return content
	}
	words := func(most float64) func(float64) uint64 { return func(x float64) uint64 { return uint64(x * most) } }
	return []speedCase{
		{"int16, smooth, nn", szip.Parameters{Options: szip.Nearest, Block: 32, Bits: 16, Scanline: 1354}, walk(2, 1e-4, words(65535))},
		{"int16, rough, nn", szip.Parameters{Options: szip.Nearest, Block: 16, Bits: 16, Scanline: 2048}, walk(2, 1e-2, words(65535))},
		{"int16, smooth, ec", szip.Parameters{Block: 16, Bits: 16, Scanline: 2048}, walk(2, 1e-3, words(65535))},
		{"12 bits, nn", szip.Parameters{Options: szip.Nearest, Block: 8, Bits: 12, Scanline: 1024}, walk(2, 1e-3, words(4095))},
		{"uint8 mask, nn", szip.Parameters{Options: szip.Nearest, Block: 16, Bits: 8, Scanline: 1350}, walk(1, 1e-3, words(5))},
		{"uint8, rough, nn", szip.Parameters{Options: szip.Nearest, Block: 16, Bits: 8, Scanline: 2048}, walk(1, 1e-2, words(255))},
		{"int32, nn", szip.Parameters{Options: szip.Nearest, Block: 32, Bits: 32, Scanline: 1000}, walk(4, 1e-4, words(1<<24))},
		{"float32, nn", szip.Parameters{Options: szip.Nearest, Block: 32, Bits: 32, Scanline: 4096}, walk(4, 1e-3, func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) })},
		{"float64, nn", szip.Parameters{Options: szip.Nearest, Block: 32, Bits: 64, Scanline: 4096}, walk(8, 1e-3, math.Float64bits)},
		{"24 bits, nn", szip.Parameters{Options: szip.Nearest, Block: 32, Bits: 24, Scanline: 4096}, walk(4, 1e-3, words(1<<24-1))},
	}
}

// best returns the shortest of several processor times.
func best(t *testing.T, repeat int, work func() error) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	shortest := time.Duration(math.MaxInt64)
	for range repeat {
		start := threadTime(t)
		if err := work(); err != nil {
			t.Fatal(err)
		}
		shortest = min(shortest, threadTime(t)-start)
	}
	return shortest
}

// threadTime returns the processor time of this thread.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	const thread = 3 // CLOCK_THREAD_CPUTIME_ID
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, thread, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		t.Fatal(errno)
	}
	return time.Duration(now.Nano())
}
