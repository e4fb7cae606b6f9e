package trial

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
)

// Measured is what came of the chunks that were encoded with one chain, and decoded again.
type Measured struct {
	Chunks int
	Empty  int   // chunks that hold only the fill value, for which no object is stored
	Bytes  int64 // of elements, without padding
	Stored int64 // bytes of the encoded chunks
	// Encode and Decode are the times that one processor took.
	Encode, Decode time.Duration
	// Deviation compares decoded elements with the elements before.
	Deviation deviation.Deviation

	// Repeats is how often a chunk is encoded and decoded, unless that takes long. The least
	// time counts. 0: once.
	Repeats int

	pool   *ndarray.Pool
	sizes  []sizes
	memory int
}

// sizes are those of one chunk.
type sizes struct{ bytes, stored float64 }

// NewMeasured returns a Measured without chunks. Elements of variable size take at most
// memory bytes.
func NewMeasured(memory int64) *Measured {
	return &Measured{pool: &ndarray.Pool{}, memory: int(memory)}
}

// Try encodes and decodes a cell. It writes to the padding of the cell. keepEmpty stores
// also chunks that hold only the fill value.
func (m *Measured) Try(chain *codecs.Chain, cell Cell, keepEmpty bool) error {
	chain.Pad(cell.Elements, cell.Inside)
	region := ndarray.Region{Start: make([]int, len(cell.Inside)), Shape: cell.Inside}
	inside := cell.Elements.Sub(region)
	m.Chunks++
	bytes := bytesOf(inside)
	m.Bytes += bytes
	began := time.Now()
	if !keepEmpty && ndarray.Uniform(cell.Elements, chain.Chunk().Fill) {
		m.Encode += time.Since(began)
		m.Empty++
		m.sizes = append(m.sizes, sizes{float64(bytes), 0})
		m.Deviation.Elements += int64(inside.Len())
		return nil
	}
	var data []byte
	var buffer *ndarray.Buffer
	took, err := m.least(func() (err error) {
		if buffer != nil {
			buffer.Release()
		}
		data, buffer, err = chain.Encode(m.pool, cell.Elements)
		return err
	})
	if buffer != nil {
		defer buffer.Release()
	}
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	m.Encode += took
	m.Stored += int64(len(data))
	m.sizes = append(m.sizes, sizes{float64(bytes), float64(len(data))})
	back, memory, err := m.pool.Array(cell.Elements.Type, cell.Elements.Shape)
	if err != nil {
		return err
	}
	defer memory.Release()
	clear(memory.Bytes)
	took, err = m.least(func() error {
		if back.Heap != nil {
			clear(memory.Bytes)
			if back, err = ndarray.View(cell.Elements.Type, cell.Elements.Shape, memory.Bytes); err != nil {
				return err
			}
			back.Heap.Account = codecs.NewAccount(m.memory, "run.memory")
		}
		return chain.Decode(m.pool, back, data)
	})
	if err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	m.Decode += took
	before, after := cell.Elements, back
	if !slices.Equal(cell.Inside, cell.Elements.Shape) {
		before, after = dense(inside), dense(back.Sub(region))
	}
	m.Deviation.Add(deviation.Compare(before, after), before, after, cell.Start)
	return nil
}

// Ratio is how many bytes of elements become one stored byte. It is infinite if nothing is
// stored.
func (m *Measured) Ratio() float64 { return float64(m.Bytes) / float64(m.Stored) }

// Uncertainty is the standard error of the ratio, as a part of the ratio. It is that of a
// ratio estimator: W. G. Cochran, Sampling Techniques, section 6.4. It is infinite for less
// than two chunks, unless these are all chunks.
func (m *Measured) Uncertainty(of int) float64 {
	n := float64(len(m.sizes))
	switch {
	case len(m.sizes) >= of || m.Stored == 0:
		return 0
	case n < 2:
		return math.Inf(1)
	}
	ratio, sum := float64(m.Stored)/float64(max(m.Bytes, 1)), 0.0
	for _, s := range m.sizes {
		by := s.stored - ratio*s.bytes
		sum += by * by
	}
	variance := (1 - n/float64(of)) * sum / (n - 1) / n
	return math.Sqrt(variance) / (float64(m.Stored) / n)
}

// least calls f once, and again while the calls together take less than 10 ms, at most Repeats
// times. It returns the least time of a call.
func (m *Measured) least(f func() error) (time.Duration, error) {
	var least, all time.Duration
	for i := 0; i == 0 || i < m.Repeats && all < 10*time.Millisecond; i++ {
		began := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		took := time.Since(began)
		all += took
		if i == 0 || took < least {
			least = took
		}
	}
	return least, nil
}

// EncodeSpeed and DecodeSpeed are in bytes of elements a second; 0 if nothing was measured.
func (m *Measured) EncodeSpeed() float64 { return speed(m.Bytes, m.Encode) }

// DecodeSpeed is described with EncodeSpeed.
func (m *Measured) DecodeSpeed() float64 { return speed(m.Bytes, m.Decode) }

// speed returns bytes a second; 0 if no time was measured.
func speed(bytes int64, took time.Duration) float64 {
	if took <= 0 {
		return 0
	}
	return float64(bytes) / took.Seconds()
}

// Whole returns the size of the elements of a whole array, whose chunks have the type of in. If
// elements have no fixed size, it is by the mean of the chunks that were tried.
func (m *Measured) Whole(shape []int, in codecs.Chunk) int64 {
	if in.Type.Size() > 0 {
		bytes, _ := ndarray.Bytes(in.Type, shape)
		return int64(bytes)
	}
	n, _ := ndarray.Elements(shape)
	return int64(float64(m.Bytes) * float64(n) / float64(max(m.Deviation.Elements, 1)))
}

// dense returns a copy of an array in C order.
func dense(a ndarray.Array) ndarray.Array {
	made := ndarray.New(a.Type, a.Shape)
	ndarray.Copy(made, a)
	return made
}
