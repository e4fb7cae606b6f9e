package arrow

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/zmigrate/zmigrate/sources"
)

// openTable opens a file of any of the formats. If the file has none of them, the error
// describes it by means of the known drivers.
func openTable(ctx context.Context, open *sources.OpenFile, known sources.Drivers) (table, error) {
	if open.Err != nil {
		return nil, open.Err
	}
	f := &file{OpenFile: open}
	if open.Size == 0 {
		return nil, errors.New("the file is empty: write or copy it again")
	}
	tail := min(open.Size, windowBytes)
	if err := f.read(ctx, open.Size-tail, int(tail)); err != nil {
		return nil, err
	}
	switch {
	case bytes.HasSuffix(f.window, []byte(parquetMagic)):
		return openParquet(ctx, f)
	case bytes.HasSuffix(f.window, []byte(ipcMagic)):
		return openIPCFile(ctx, f)
	case bytes.HasSuffix(f.window, []byte(featherMagic)):
		return nil, errors.New("a Feather file of version 1: write it again as version 2, with pyarrow.feather.write_feather")
	case bytes.HasSuffix(f.window, []byte(encryptedMagic)):
		return nil, errors.New("an encrypted Parquet file: write it again without encryption")
	}
	head, err := f.bytes(ctx, 0, int(min(open.Size, sources.Head)))
	if err != nil {
		return nil, err
	}
	for _, magic := range []string{parquetMagic, ipcMagic} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return nil, fmt.Errorf("truncated: the file begins with %s but does not end with it: write or copy it again", magic)
		}
	}
	t, err := openIPCStream(ctx, f)
	if errors.Is(err, errNoStream) {
		return nil, fmt.Errorf("neither Arrow IPC (a file or a stream) nor Parquet: %s", known.WhatIs(head))
	}
	return t, err
}
