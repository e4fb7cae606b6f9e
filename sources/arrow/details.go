package arrow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow/ipc"
	"github.com/zmigrate/zmigrate/sources/arrow/parquet"
)

// Details implements [sources.Detailed].
func (f *hierarchy) Details(_ context.Context, path string) ([]sources.Detail, error) {
	if path == "" {
		return append(f.table.details(), hiddenMetadata(f.table.metadata())...), nil
	}
	if c := f.columns[path]; c != nil {
		return append(f.table.columnDetails(c), hiddenMetadata(c.field.Metadata)...), nil
	}
	depth := 1 + strings.Count(path, "/")
	for _, c := range f.table.columns() {
		if strings.HasPrefix(c.path, path+"/") && len(c.at) > depth { // a struct or a list
			return f.table.structDetails(c, c.at[:depth]), nil
		}
	}
	return nil, nil
}

// hiddenMetadata lists the lengths of values that only describe how something is
// stored.
func hiddenMetadata(m arrow.Metadata) (list []sources.Detail) {
	for i, key := range m.Keys() {
		if ofStorage(key) && key != extensionName && key != extensionMetadata {
			list = append(list, sources.Detail{Name: key, Text: fmt.Sprintf("%d bytes", len(m.Values()[i]))})
		}
	}
	return list
}

// fieldText writes the Arrow type of a field.
func fieldText(f *ipc.Field) string {
	text := f.Type.String()
	switch {
	case f.Unknown != 0:
		text = fmt.Sprintf("type number %d", f.Unknown)
	case f.Bits != 0:
		text = strings.Replace(text, "decimal", fmt.Sprint("decimal", f.Bits), 1)
	case len(f.Children) > 0:
		children := make([]string, len(f.Children))
		for i := range f.Children {
			c := &f.Children[i]
			children[i] = c.Name + ": " + fieldText(c)
			if i < len(f.Codes) {
				children[i] += fmt.Sprintf("=%d", f.Codes[i])
			}
			if c.Nullable {
				children[i] += ", nullable"
			}
		}
		text = fmt.Sprintf("%s<%s>", f.Type.Name(), strings.Join(children, ", "))
		if fixed, ok := f.Type.(*arrow.FixedSizeListType); ok {
			text += fmt.Sprintf("[%d]", fixed.Len())
		}
	}
	if f.Index != nil {
		text = fmt.Sprintf("dictionary<values=%s, indices=%v, ordered=%v>", text, f.Index, f.Ordered)
	}
	if name, ok := metadataOf(f.Field, extensionName); ok {
		parameters, _ := metadataOf(f.Field, extensionMetadata)
		text = fmt.Sprintf("%s of %s", strings.TrimSpace(strings.ToValidUTF8(name+" "+parameters, "\uFFFD")), text)
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
	if len(batches) == 0 {
		return []sources.Detail{{Name: "rows", Text: "0"}, {Name: what, Text: "0"}}
	}
	least, most := slices.Min(batches), slices.Max(batches)
	text += fmt.Sprintf(", of %d to %d rows", least, most)
	list := []sources.Detail{{Name: "rows", Text: fmt.Sprint(rows)}, {Name: what, Text: text}}
	if least == most {
		return list
	}
	var each []string
	for i := 0; i < len(batches); {
		next := i + 1
		for next < len(batches) && batches[next] == batches[i] {
			next++
		}
		one := fmt.Sprint(batches[i])
		if next-i > 1 {
			one = fmt.Sprintf("%d × %s", next-i, one)
		}
		each, i = append(each, one), next
	}
	return append(list, sources.Detail{Name: "rows of each", Text: strings.Join(each, ", ")})
}

// details implements [table].
func (t *parquetTable) details() []sources.Detail {
	list := []sources.Detail{{Name: "format", Text: fmt.Sprintf("Parquet, version %d", t.tree.Version)}}
	if t.tree.Writer != "" {
		list = append(list, sources.Detail{Name: "written by", Text: strings.ToValidUTF8(t.tree.Writer, "\uFFFD")})
	}
	return append(list, batchDetails("row groups", t.batches())...)
}

// columnDetails implements [table].
func (t *parquetTable) columnDetails(c *column) []sources.Detail {
	n, stored := t.field(c, c.at)
	empty := &arrow.FixedSizeListType{} // stands for all lists of 0 elements
	text := strings.ReplaceAll(c.field.Type.String(), empty.String(), "fixed_size_list[0]")
	if name, ok := metadataOf(c.field, extensionName); ok {
		text = fmt.Sprintf("%s of %s", name, text)
	}
	list := []sources.Detail{{Name: "Arrow type", Text: text}, {Name: "Parquet type", Text: n.String()}}
	if stored != nil {
		if of := fieldText(stored); strings.ReplaceAll(of, "<item: ", "<element: ") != text { // Parquet calls the elements so
			list = append(list, sources.Detail{Name: "written as", Text: of})
		}
	}
	var codecs, encodings []string
	var bytes, plain int64
	for _, leaf := range leavesOf(n, nil) {
		for i := range t.tree.Groups {
			chunk := &t.tree.Groups[i].Chunks[leaf]
			bytes, plain = bytes+chunk.Compressed, plain+chunk.Uncompressed
			codecs = append(codecs, chunk.Compression())
			encodings = append(encodings, chunk.Encodings()...)
		}
		codecs, encodings = distinct(codecs), distinct(encodings)
	}
	if codecs != nil {
		text := fmt.Sprintf("%s, %d bytes of %d", strings.Join(codecs, " and "), bytes, plain)
		list = append(list, sources.Detail{Name: "compression", Text: text}, sources.Detail{Name: "encodings", Text: strings.Join(encodings, ", ")})
	}
	return list
}

// structDetails implements [table].
func (t *parquetTable) structDetails(c *column, at []int) []sources.Detail {
	n, _ := t.field(c, at)
	return []sources.Detail{{Name: "Parquet type", Text: n.String()}}
}

// field returns the node at the beginning of the place of a column in the schema. It also
// returns the field that a writer of Arrow stored for it, or nil if that is unknown.
func (t *parquetTable) field(c *column, at []int) (*parquet.Node, *ipc.Field) {
	n := t.tree.Root.Children[at[0]]
	var stored *ipc.Field
	if f, ok := t.stored()[n.Name]; ok {
		stored = &f
	}
	for k := range at[1:] {
		n, _ = nodeAt(t.tree, at[:k+2], c.lists)
		if stored == nil {
			continue
		}
		if isList(c.lists, k+1) {
			if len(stored.Children) != 1 {
				stored = nil
				continue
			}
			stored = &stored.Children[0]
			continue
		}
		k := slices.IndexFunc(stored.Children, func(c ipc.Field) bool { return c.Name == n.Name })
		if k < 0 {
			stored = nil
			continue
		}
		stored = &stored.Children[k]
	}
	return n, stored
}

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// details implements [table].
func (t *ipcTable) details() []sources.Detail {
	format := "Arrow IPC file"
	if t.stream {
		format = "Arrow IPC stream"
	}
	list := []sources.Detail{{Name: "format", Text: format}}
	if t.schema.BigEndian {
		list = append(list, sources.Detail{Name: "byte order", Text: "big-endian"})
	}
	list = append(list, batchDetails("record batches", t.batches())...)
	for _, r := range t.data {
		if name := map[ipc.Codec]string{ipc.LZ4Frame: "lz4", ipc.Zstd: "zstd"}[r.Codec]; name != "" {
			return append(list, sources.Detail{Name: "compression", Text: name})
		}
	}
	return list
}

// columnDetails implements [table].
func (t *ipcTable) columnDetails(c *column) []sources.Detail {
	list := t.structDetails(c, c.at)
	if at := t.field(c.at); at.Index != nil {
		list = append(list, sources.Detail{Name: "dictionary", Text: fmt.Sprintf("indices of %v", at.Index)})
	}
	return list
}

// structDetails implements [table].
func (t *ipcTable) structDetails(_ *column, at []int) []sources.Detail {
	f := t.field(at)
	list := []sources.Detail{{Name: "Arrow type", Text: fieldText(f)}}
	if !f.Nullable {
		list = append(list, sources.Detail{Name: "nullable", Text: "no"})
	}
	return list
}

// field returns the field at a place of the schema.
func (t *ipcTable) field(at []int) *ipc.Field {
	f := &ipc.Field{Children: t.schema.Fields}
	for _, i := range at {
		f = &f.Children[i]
	}
	return f
}
