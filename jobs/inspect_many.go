package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/sources"
)

// manyFiles is a source of several files with the details of the first of them.
type manyFiles struct {
	sources.Source
	first sources.Source
	count int
	name  string // of the first file
}

// Details implements [sources.Detailed].
func (m manyFiles) Details(ctx context.Context, path string) ([]sources.Detail, error) {
	d, ok := m.first.(sources.Detailed)
	if !ok {
		return nil, nil
	}
	list, err := d.Details(ctx, path)
	if path == "" {
		text := fmt.Sprintf("%d; types and numbers below are those of %s", m.count, m.name)
		list = append([]sources.Detail{{Name: "files", Text: text}}, list...)
	}
	return list, err
}

// Close closes all files.
func (m manyFiles) Close() error { return errors.Join(m.Source.Close(), m.first.Close()) }
