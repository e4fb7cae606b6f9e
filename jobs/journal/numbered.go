package journal

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
)

// list returns the numbers of the numbered objects below a prefix, ascending.
func list(ctx context.Context, st *store.Store, prefix, suffix string) ([]int, error) {
	var numbers []int
	err := st.List(ctx, prefix, func(info store.Info) error {
		n, ok := number(info.Key, prefix, suffix)
		if !ok {
			return misplaced(st, info.Key)
		}
		numbers = append(numbers, n)
		return nil
	})
	slices.Sort(numbers) // above 999999 the lexical order is not that of the numbers
	return numbers, err
}

// number returns the number in the key of a numbered object.
func number(key, prefix, suffix string) (n int, ok bool) {
	// A text that is no number gives 0, whose key differs from this one.
	n, _ = strconv.Atoi(strings.TrimSuffix(key[len(prefix):], suffix))
	return n, n >= 0 && key == fmt.Sprintf("%s%06d%s", prefix, n, suffix)
}

// misplaced is the error of an object that no version of this program puts into a
// checkpoint.
func misplaced(st *store.Store, key string) error {
	return fmt.Errorf("%s: %s does not belong in a checkpoint", st.URL(), key)
}
