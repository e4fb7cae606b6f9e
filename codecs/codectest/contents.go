package codectest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// The contents by which tests measure compression. They are the same at every call.
// Numbers are in the host's byte order.

// Normal returns n float32 numbers of normally distributed noise.
func Normal(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	return floats(n, func(int) float64 { return random.NormFloat64() })
}

// Noisy returns n float32 numbers like a measured field: a slow wave with noise.
func Noisy(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	return floats(n, func(i int) float64 { return 273.15 + 10*math.Sin(float64(i)/1e4) + 0.1*random.NormFloat64() })
}

func floats(n int, at func(i int) float64) []byte {
	out := make([]byte, 0, 4*n)
	for i := range n {
		out = binary.NativeEndian.AppendUint32(out, math.Float32bits(float32(at(i))))
	}
	return out
}

// Counts returns n int16 numbers, like the counts of a detector.
func Counts(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, 0, 2*n)
	for i := range n {
		mean := 100 + 80*math.Sin(float64(i)/5000)
		out = binary.NativeEndian.AppendUint16(out, uint16(int16(mean+math.Sqrt(mean)*random.NormFloat64())))
	}
	return out
}

// Words returns n bytes of words. Some words are frequent.
func Words(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 3000)
	for i := range words {
		word := make([]byte, 2+random.IntN(9))
		for k := range word {
			word[k] = "etaoinshrdlucmfwypvbgkqjxz"[int(26*math.Pow(random.Float64(), 2))]
		}
		words[i] = string(word)
	}
	var out []byte
	for len(out) < n {
		out = append(append(out, words[int(3000*math.Pow(random.Float64(), 3))]...), ' ')
	}
	return out[:n]
}
