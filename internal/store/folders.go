package store

import (
	"context"
	"errors"
	"slices"
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
	if err := s.at.checkPrefix(prefix); err != nil {
		return nil, s.requests.pathError("list", folder, err)
	}
	var names []string
	next := s.driver.folders(prefix)
	for {
		var page []string
		err := s.requests.do(ctx, "list", folder, 0, func(ctx context.Context) (err error) {
			page, err = next(ctx)
			return err
		})
		names = append(names, page...)
		if errors.Is(err, errEnd) {
			slices.Sort(names)
			return slices.Compact(names), nil
		}
		if err != nil {
			return nil, err
		}
	}
}
