package lz4

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// errCut reports a block that ends within a sequence.
var errCut = errors.New("lz4: the block is cut short")

// DecodedSize reads a block up to the end of r and returns the number of bytes of its
// content, without decoding it. It fails for a block that no decoder accepts, and as
// soon as the content exceeds most bytes.
func DecodedSize(r *bufio.Reader, most int64) (int64, error) {
	n := int64(0)
	for {
		token, err := r.ReadByte()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		literals, err := rest(r, int64(token>>4), most)
		if err != nil {
			return n, err
		}
		if n += literals; n > most {
			return n, tooLong(most)
		}
		if _, err := r.Discard(int(literals)); err != nil {
			return n, cut(err)
		}
		if _, err := r.Peek(1); errors.Is(err, io.EOF) {
			return n, nil // the last sequence has no repetition
		}
		low, err := r.ReadByte()
		if err != nil {
			return n, cut(err)
		}
		high, err := r.ReadByte()
		if err != nil {
			return n, cut(err)
		}
		distance := int64(low) | int64(high)<<8
		if distance == 0 || distance > n {
			return n, fmt.Errorf("lz4: byte %d is a copy from %d bytes back", n, distance)
		}
		match, err := rest(r, int64(token&15), most)
		if err != nil {
			return n, err
		}
		if n += match + minMatch; n > most {
			return n, tooLong(most)
		}
	}
}

// rest reads the rest of a length. n is the four bits of the length in the token.
func rest(r *bufio.Reader, n, most int64) (int64, error) {
	if n < 15 {
		return n, nil
	}
	for {
		more, err := r.ReadByte()
		if err != nil {
			return n, cut(err)
		}
		if n += int64(more); more < 255 {
			return n, nil
		}
		if n > most {
			return n, tooLong(most)
		}
	}
}

func tooLong(most int64) error {
	return fmt.Errorf("lz4: the block decodes to more than %d bytes", most)
}

// cut returns an error of a reader, with the end of its input as errCut.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return errCut
	}
	return err
}
