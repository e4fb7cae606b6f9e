package arrow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
)

// Details implements [sources.Detailed].
func (f *opened) Details(_ context.Context, path string) ([]sources.Detail, error) {
	if c := f.columns[path]; c != nil {
		return append([]sources.Detail{{Name: "Arrow type", Text: c.typeText()}}, f.table.columnDetails(c)...), nil
	}
	if path == "" {
		return f.table.details(), nil
	}
	return nil, nil
}

// typeText is the type of a column in the terms of Arrow.
func (c *column) typeText() string {
	text := c.field.Type.String()
	if name, ok := metadataOf(c.field, extensionName); ok {
		text = fmt.Sprintf("%s of %s", name, text)
	}
	return text
}

// batchDetails counts the batches of a table, and their rows.
func batchDetails(what string, batches []int) []sources.Detail {
	rows := 0
	for _, n := range batches {
		rows += n
	}
	text := fmt.Sprint(len(batches))
	if len(batches) > 0 {
		text += fmt.Sprintf(", of %d to %d rows", slices.Min(batches), slices.Max(batches))
	}
	return []sources.Detail{{Name: "rows", Text: fmt.Sprint(rows)}, {Name: what, Text: text}}
}

// details implements [table].
func (t *parquetTable) details() []sources.Detail {
	return append([]sources.Detail{{Name: "format", Text: "Parquet"}}, batchDetails("row groups", t.batches())...)
}

// columnDetails implements [table].
func (t *parquetTable) columnDetails(c *column) []sources.Detail {
	l, err := findLeaf(t.tree, c.at, c.field.Type)
	if err != nil {
		return nil // the column cannot be opened, which says why
	}
	list := []sources.Detail{{Name: "Parquet type", Text: l.String()}}
	var codecs []string
	var stored, plain int64
	for i := range t.tree.Groups {
		chunk := &t.tree.Groups[i].Chunks[l.Leaf]
		stored, plain = stored+chunk.Compressed, plain+chunk.Uncompressed
		if name := chunk.Compression(); !slices.Contains(codecs, name) {
			codecs = append(codecs, name)
		}
	}
	if codecs != nil {
		text := fmt.Sprintf("%s, %d bytes of %d", strings.Join(codecs, " and "), stored, plain)
		list = append(list, sources.Detail{Name: "compression", Text: text})
	}
	return list
}

// details implements [table].
func (t *ipcTable) details() []sources.Detail {
	format := "Arrow IPC file"
	if t.stream {
		format = "Arrow IPC stream"
	}
	list := append([]sources.Detail{{Name: "format", Text: format}}, batchDetails("record batches", t.batches())...)
	for _, r := range t.data {
		if name := map[ipc.Codec]string{ipc.LZ4Frame: "lz4", ipc.Zstd: "zstd"}[r.Codec]; name != "" {
			return append(list, sources.Detail{Name: "compression", Text: name})
		}
	}
	return list
}

// columnDetails implements [table].
func (t *ipcTable) columnDetails(c *column) []sources.Detail {
	at := &ipc.Field{Children: t.schema.Fields}
	for _, i := range c.at {
		at = &at.Children[i]
	}
	var list []sources.Detail
	if !c.field.Nullable {
		list = append(list, sources.Detail{Name: "nullable", Text: "no"})
	}
	if at.Index != nil {
		list = append(list, sources.Detail{Name: "dictionary", Text: fmt.Sprintf("indices of %v", at.Index)})
	}
	return list
}
