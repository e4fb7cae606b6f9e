//go:build linux

package zfp

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

// TestSpeed compares the time of one core with that of libzfp.
func TestSpeed(t *testing.T) {
	if os.Getenv("ZMIGRATE_SPEED") != "1" {
		t.Skip("set ZMIGRATE_SPEED=1 to measure for half a minute")
	}
	p := findPeer(t)
	for _, s := range []setting{{"tolerance", 0.01}, {"rate", 8}, {"precision", 16}, {}} {
		for _, shape := range [][]int{
			{16, 256, 256}, {17, 255, 253}, {1 << 20}, {1024, 1024}, {1022, 1021}, {16, 16, 64, 64},
		} {
			t.Run(fmt.Sprintf("%dD", len(shape)), func(t *testing.T) {
				speed[float32](t, p, s, shape)
				speed[float64](t, p, s, shape)
				speed[int32](t, p, s, shape)
				speed[int64](t, p, s, shape)
			})
		}
	}
}

// speed logs the megabytes per second and the ratio to libzfp.
func speed[T Scalar](t *testing.T, p *peer, s setting, shape []int) {
	t.Helper()
	const repeat = 9
	field := smooth[T](shape)
	raw := littleEndian(t, field)
	params := s.params(t, typeOf[T](), len(shape))
	var stream []byte
	got := make([]T, len(field))
	encode := best(t, repeat, func() error {
		var err error
		stream, err = AppendEncode(stream[:0], field, shape, params, Options{})
		return err
	})
	decode := best(t, repeat, func() error { return Decode(got, shape, stream, params, Options{}) })
	r := p.ask(t, s, typeOf[T](), shape, false, repeat, raw, nil)
	if !bytes.Equal(r.stream, stream) {
		t.Errorf("%v %v %v: another stream than libzfp's", typeOf[T](), shape, s)
	}
	if !bytes.Equal(r.values, littleEndian(t, got)) {
		t.Errorf("%v %v %v: other values than libzfp's", typeOf[T](), shape, s)
	}
	rate := func(d time.Duration) float64 { return float64(len(raw)) / d.Seconds() / 1e6 }
	size := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", "×")
	t.Logf("%-8v%-12v%-15v encode %6.0f MB/s %5.2f×   decode %6.0f MB/s %5.2f×", typeOf[T](), size, s,
		rate(encode), r.encode.Seconds()/encode.Seconds(), rate(decode), r.decode.Seconds()/decode.Seconds())
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

// TestLevelSpeed compares the time of one core at each level. It prints a table: for
// encoding and for decoding, the times of all levels, from that of functions in Go on, as
// multiples of the time of the highest level, and the speed of that.
func TestLevelSpeed(t *testing.T) {
	if os.Getenv("ZMIGRATE_SPEED") != "1" {
		t.Skip("set ZMIGRATE_SPEED=1 to measure for a minute")
	}
	for _, shape := range [][]int{{1 << 17}, {256, 512}, {32, 64, 64}, {16, 16, 16, 32}} {
		levelSpeed[int32, float32](t, shape)
		levelSpeed[int64, float64](t, shape)
	}
}

func levelSpeed[W word, T Scalar](t *testing.T, shape []int) {
	t.Helper()
	typ := typeOf[T]()
	rate := float64(typ.bits()) / 4
	for _, s := range []setting{{"tolerance", 0.01}, {"rate", rate}, {}} {
		p := s.params(t, typ, len(shape))
		g, err := newGrid(shape)
		if err != nil {
			t.Fatal(err)
		}
		field := smooth[T](shape)
		got := make([]T, len(field))
		levels := append([]cpu.Level{cpu.Plain}, kernelLevels()...)
		encoders := make([]*encoder[W], len(levels))
		encode, decode := make([]time.Duration, len(levels)), make([]time.Duration, len(levels))
		for i, l := range levels {
			encoders[i] = newEncoder[W](l, p, typ, len(shape))
			encode[i], decode[i] = math.MaxInt64, math.MaxInt64
		}
		for range 40 { // the levels in turn, because others use the machine
			for i, l := range levels {
				e := encoders[i]
				encode[i] = min(encode[i], best(t, 1, func() error {
					e.pos, e.acc = 0, 0
					e.encode(words[W](field), &g, 0, g.count)
					return nil
				}))
				e.pad(64)
				stream := e.buf[:(e.pos+7)/8+slack]
				decode[i] = min(decode[i], best(t, 1, func() error {
					return newDecoder[W](l, stream, 0, p, typ, len(shape)).decode(words[W](got), &g, 0, g.count)
				}))
			}
		}
		line := fmt.Sprintf("| %d-D %v %v |", len(shape), typ, s)
		for _, times := range [][]time.Duration{encode, decode} {
			for i := range levels {
				line += fmt.Sprintf(" %.2f |", times[i].Seconds()/times[len(times)-1].Seconds())
			}
			line += fmt.Sprintf(" %.0f MB/s |", float64(len(field)*typ.bits()/8)/times[len(times)-1].Seconds()/1e6)
		}
		t.Log(line)
	}
}
