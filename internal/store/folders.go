package store

import (
	"context"
	"errors"
	"slices"

	"github.com/zmigrate/zmigrate/internal/store/driver"
)

// Folders returns the names of the folders directly in a folder, in lexical order. ""
// is the folder of the store. A folder in a bucket is the text of a key before its next
// "/". On a local disk empty folders count, too. Folders does not list the objects in
// the folders, which may be many. A folder that does not exist has none.
func (s *Store) Folders(ctx context.Context, folder string) ([]string, error) {
	prefix := ""
	if folder != "" {
		prefix = folder + "/"
	}
	if err := s.at.CheckPrefix(prefix); err != nil {
		return nil, s.requests.PathError("list", folder, err)
	}
	var names []string
	next := s.driver.Folders(prefix)
	for {
		var page []string
		err := s.requests.Do(ctx, "list", folder, 0, func(ctx context.Context) (err error) {
			page, err = next(ctx)
			return err
		})
		names = append(names, page...)
		if errors.Is(err, driver.ErrEnd) {
			slices.Sort(names)
			return slices.Compact(names), nil
		}
		if err != nil {
			return nil, err
		}
	}
}
