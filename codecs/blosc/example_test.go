package blosc_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/zmigrate/zmigrate/codecs/blosc"
)

// This example encodes 32-bit numbers, decodes all of them, and then only some.
func Example() {
	var content []byte
	for i := range 100_000 {
		content = append(content, byte(i), byte(i>>8), byte(i>>16), 0)
	}
	encoder, err := blosc.NewEncoder(blosc.Options{Codec: blosc.LZ4, Level: 5, Shuffle: blosc.ByteShuffle, TypeSize: 4})
	if err != nil {
		log.Fatal(err)
	}
	buffer, err := encoder.AppendEncode(nil, content)
	if err != nil {
		log.Fatal(err)
	}

	var decoder blosc.Decoder
	whole := make([]byte, len(content))
	if err := decoder.DecodeInto(whole, buffer); err != nil {
		log.Fatal(err)
	}
	fmt.Println("all equal:", bytes.Equal(whole, content))

	part := make([]byte, 8) // elements 70 000 and 70 001
	if err := decoder.DecodeRange(part, buffer, 70_000*4); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("% x\n", part)
	// Output:
	// all equal: true
	// 70 11 01 00 71 11 01 00
}
