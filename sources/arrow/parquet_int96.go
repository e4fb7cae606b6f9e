package arrow

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// julianEpoch is the Julian day of 1970-01-01.
const julianEpoch = 2440588

// daySeconds is the length of a day.
const daySeconds = 86400

// fromInt96 returns the nanoseconds since 1970 of a timestamp in 12 bytes: the
// nanoseconds of the day, then the Julian day. It refuses the least integer, which stands for no
// time.
func fromInt96(b []byte) (int64, bool) {
	const day = daySeconds * 1e9
	nanoseconds := int64(binary.LittleEndian.Uint64(b))
	days := int64(binary.LittleEndian.Uint32(b[8:])) - julianEpoch
	const most = 106751                   // more days have more nanoseconds than 63 bits hold
	const rest = math.MaxInt64 - most*day // nanoseconds beyond these days
	switch {
	case nanoseconds < 0 || nanoseconds > day || days > most || days == most && nanoseconds > rest:
		return 0, false
	case days < -most-1 || days == -most-1 && day-nanoseconds > rest:
		return 0, false
	case days == -most-1:
		return -most*day - (day - nanoseconds), true
	}
	return days*day + nanoseconds, true
}

// convertInt96 turns timestamps of 12 bytes into nanoseconds since 1970.
func convertInt96(to, from []byte) error {
	for i := range len(from) / 12 {
		v, ok := fromInt96(from[12*i:])
		if !ok {
			return &valueError{number: i, err: int96Error(from[12*i:])}
		}
		binary.LittleEndian.PutUint64(to[8*i:], uint64(v))
	}
	return nil
}

// int96Error says what is wrong with a timestamp that fromInt96 refuses: its day, or its time
// of the day.
func int96Error(b []byte) error {
	nanoseconds, day := int64(binary.LittleEndian.Uint64(b)), int64(int32(binary.LittleEndian.Uint32(b[8:])))-julianEpoch
	const most = math.MaxInt64 / int64(daySeconds*1e9)
	if (nanoseconds < 0 || nanoseconds > daySeconds*1e9) && -most-1 <= day && day <= most {
		return fmt.Errorf("a timestamp of %d nanoseconds of a day, which has %d: write it again, or leave the column out with source.exclude", nanoseconds, int64(daySeconds*1e9))
	}
	return fmt.Errorf("a timestamp of %s (Julian day %d) is not between 1677-09-21T00:12:43.145224193 and 2262-04-11T23:47:16.854775807, which nanoseconds in 64 bits can say: write the column in microseconds, in Spark with spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS, or with pyarrow after reading it with coerce_int96_timestamp_unit=\"us\"; or leave it out with source.exclude",
		time.Unix(day*daySeconds, 0).UTC().Format(time.DateOnly), day+julianEpoch)
}
