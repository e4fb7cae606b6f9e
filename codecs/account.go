package codecs

import (
	"fmt"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// NewAccount returns an account of limit bytes, for elements of variable size. whose names
// the limit in the error of an account that has too few bytes, which wraps [ErrTooLarge].
func NewAccount(limit int, whose string) ndarray.Account { return &account{limit, whose} }

type account struct {
	left  int
	whose string
}

// Lend implements [ndarray.Account].
func (a *account) Lend(n int) ([]byte, error) {
	if err := a.Take(n); err != nil {
		return nil, err
	}
	return make([]byte, n), nil
}

// Take implements [ndarray.Account].
func (a *account) Take(n int) error {
	if n > a.left {
		return fmt.Errorf("%w: the elements take more than %s", ErrTooLarge, a.whose)
	}
	a.left -= n
	return nil
}

// Give implements [ndarray.Account].
func (a *account) Give(n int) { a.left += n }

// Room implements [ndarray.Account].
func (a *account) Room() int { return a.left }
