package arrow

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// TestFromInt96 refuses times whose nanoseconds exceed 64 bits.
func TestFromInt96(t *testing.T) {
	const day = 86400e9
	for _, test := range []struct {
		day         uint32
		nanoseconds int64
		want        int64
		ok          bool
	}{
		{julianEpoch, 0, 0, true},
		{julianEpoch - 1, day - 1, -1, true},
		{julianEpoch - 106751, 0, -106751 * day, true},
		{julianEpoch - 106752, day - 1, -106751*day - 1, true},
		{julianEpoch - 106752, day, -106751 * day, true},
		{julianEpoch - 106752, day - (math.MaxInt64 - 106751*day), -math.MaxInt64, true},
		{julianEpoch - 106752, day - (math.MaxInt64 - 106751*day) - 1, 0, false}, // NaT
		{julianEpoch - 106752, day - (math.MaxInt64 - 106751*day) - 2, 0, false},
		{julianEpoch - 106753, day, 0, false},
		{julianEpoch + 106751, math.MaxInt64 - 106751*day, math.MaxInt64, true},
		{julianEpoch + 106751, math.MaxInt64 - 106751*day + 1, 0, false},
		{julianEpoch + 106752, 0, 0, false},
		{julianEpoch, -1, 0, false},
	} {
		b := binary.LittleEndian.AppendUint64(nil, uint64(test.nanoseconds))
		b = binary.LittleEndian.AppendUint32(b, test.day)
		if got, ok := fromInt96(b); got != test.want || ok != test.ok {
			t.Errorf("day %d and %d: %d, %v; want %d, %v", test.day, test.nanoseconds, got, ok, test.want, test.ok)
		}
	}
}

// TestInt96Errors names what is wrong with a timestamp: the day, or the time of day.
func TestInt96Errors(t *testing.T) {
	for _, test := range []struct {
		day         uint32
		nanoseconds int64
		want        string
	}{
		{julianEpoch, -1, "a timestamp of -1 nanoseconds of a day, which has 86400000000000"},
		{julianEpoch, 86400e9 + 1, "a timestamp of 86400000000001 nanoseconds of a day"},
		{julianEpoch + 200000, -1, "(Julian day 2640588)"},
		{julianEpoch + 200000, 5, "a timestamp of 2517-08-01 (Julian day 2640588) is not between"},
	} {
		b := binary.LittleEndian.AppendUint64(nil, uint64(test.nanoseconds))
		err := convertInt96(make([]byte, 8), binary.LittleEndian.AppendUint32(b, test.day))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}
