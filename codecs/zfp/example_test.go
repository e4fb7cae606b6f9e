package zfp_test

import (
	"fmt"
	"log"
	"math"

	"github.com/zmigrate/zmigrate/codecs/zfp"
)

// wave returns an array of two dimensions.
func wave(rows, columns int) []float64 {
	a := make([]float64, rows*columns)
	for i := range a {
		a[i] = math.Sin(float64(i/columns)/20) * math.Cos(float64(i%columns)/30)
	}
	return a
}

func Example() {
	shape := []int{100, 200}
	array := wave(100, 200)
	params, err := zfp.FixedAccuracy(1e-3)
	if err != nil {
		log.Fatal(err)
	}
	stream, err := zfp.AppendEncode(nil, array, shape, params, zfp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	back := make([]float64, len(array))
	if err := zfp.Decode(back, shape, stream, params, zfp.Options{}); err != nil {
		log.Fatal(err)
	}
	largest := 0.0
	for i, v := range array {
		largest = max(largest, math.Abs(v-back[i]))
	}
	fmt.Printf("%d bytes became %d, no error above 0.001: %t\n", 8*len(array), len(stream), largest <= 1e-3)
	// Output: 160000 bytes became 12336, no error above 0.001: true
}

// The header of a stream describes the array in it.
func ExampleParseHeader() {
	stream, err := zfp.AppendEncode(nil, wave(30, 40), []int{30, 40}, zfp.Reversible(), zfp.Options{Header: true})
	if err != nil {
		log.Fatal(err)
	}
	h, err := zfp.ParseHeader(stream)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Type, h.Shape, h.Params == zfp.Reversible())
	back := make([]float64, h.Shape[0]*h.Shape[1])
	if err := zfp.Decode(back, h.Shape, stream, h.Params, zfp.Options{Header: true}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(back[41] == wave(30, 40)[41])
	// Output:
	// float64 [30 40] true
	// true
}

// In fixed rate a part of the stream gives a region of the array.
func ExampleDecodeRegion() {
	shape := []int{100, 200}
	params, err := zfp.FixedRate(16, zfp.Float64, len(shape))
	if err != nil {
		log.Fatal(err)
	}
	stream, err := zfp.AppendEncode(nil, wave(100, 200), shape, params, zfp.Options{Workers: 4})
	if err != nil {
		log.Fatal(err)
	}
	start, count := []int{50, 60}, []int{3, 10}
	from, to, err := zfp.RegionBytes(start, count, shape, zfp.Float64, params)
	if err != nil {
		log.Fatal(err)
	}
	region := make([]float64, 3*10)
	if err := zfp.DecodeRegion(region, start, count, shape, stream[from:to], params); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("bytes %d to %d of %d\n", from, to, len(stream))
	fmt.Printf("%.4f %.4f\n", region[12], wave(100, 200)[51*200+62])
	// Output:
	// bytes 19680 to 21376 of 40000
	// -0.2653 -0.2653
}
