package combine

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/compare"
)

// coordinates returns the variables that other variables name as their coordinates, and
// those that have the name of their only dimension. A name is looked up in the group of
// the variable and in the groups above it.
func (c *combined) coordinates() map[string]bool {
	set := map[string]bool{}
	for _, v := range c.vars {
		i := v.first()
		if i < 0 {
			continue
		}
		info := v.parts[i].Info()
		if slices.Equal(info.DimensionNames, []string{path.Base(v.path)}) {
			set[v.path] = true
		}
		for _, attr := range []string{"coordinates", "bounds", "climatology", "grid_mapping"} {
			for name := range compare.NamesIn(info, attr) {
				for dir := path.Dir(v.path); ; dir = path.Dir(dir) {
					set[path.Join(dir, name)] = true
					if dir == path.Dir(dir) { // "."
						break
					}
				}
			}
		}
	}
	return set
}

// unlisted returns the error about the group of member i that would hold a variable, if nobody
// knows what that group holds.
func (c *combined) unlisted(i int, path string) error {
	for _, g := range c.groups[i] {
		if g.Unlisted && strings.HasPrefix(path, g.Path+"/") {
			return fmt.Errorf("array %q: group %q: %w", path, g.Path, g.Err)
		}
	}
	return nil
}

// join decides what becomes of a variable.
func (c *combined) join(ctx context.Context, v *variable, coordinates map[string]bool) error {
	for i, name := range c.names {
		err := v.faults[name]
		if err == nil && v.parts[i] == nil {
			err = c.unlisted(i, v.path)
		}
		if err != nil {
			v.report.Add(err)
			if v.missed() {
				break // the errors of the other members say the same
			}
		}
	}
	if v.report.Len() > 0 {
		return nil
	}
	info := v.parts[v.first()].Info()
	switch own := path.Base(v.path) == c.how.Dimension(); {
	case slices.Contains(info.DimensionNames, c.how.Stack) && c.how.Stack != "":
		v.report.Add(wrong("stack", "array %q has the dimension %q to stack along already: choose concat, or another name", v.path, c.how.Stack))
		return nil
	case c.how.Stack != "" && !own && coordinates[v.path]:
		return c.stackCoordinate(ctx, v)
	case c.how.Stack == "" && slices.Contains(info.Ragged, c.how.Concat):
		if why := c.keepsLists(v, info); why != nil {
			v.report.Add(why)
			return nil
		}
		v.lists = true
	case c.how.Stack == "" && !slices.Contains(info.DimensionNames, c.how.Concat):
		return c.takeFirst(ctx, v)
	}
	v.joined = true
	if err := c.compare(ctx, v); err != nil {
		return c.refusedOr(v, err)
	}
	if v.report.Len() == 0 {
		if err := c.checkRange(ctx, v); err != nil {
			return c.refusedOr(v, err)
		}
	}
	if v.report.Len() == 0 {
		if err := c.checkRebased(ctx, v); err != nil {
			return c.refusedOr(v, err)
		}
	}
	if v.report.Len() == 0 {
		if err := c.lay(v); err != nil {
			v.report.Add(err)
		}
	}
	return nil
}

// keepsLists returns an error if the lists of a variable, which belong to the indices along
// the joined dimension, would no longer belong to them.
func (c *combined) keepsLists(v *variable, info *sources.Info) error {
	const hint = ": exclude it, or migrate each file by itself"
	switch {
	case info.Lists == nil || info.Lists.Along != c.how.Concat:
		return fmt.Errorf("array %q belongs to lists of varying length along %q and other dimensions before it, and cannot be joined along it"+hint, v.path, c.how.Concat)
	case c.runs != nil:
		return fmt.Errorf("array %q belongs to lists of varying length along %q, of which files have the same rows, and a part of the lists cannot be taken"+hint, v.path, c.how.Concat)
	default:
		return nil
	}
}

// lay joins or stacks the parts of a variable. All members have the variable, and the parts
// fit.
func (c *combined) lay(v *variable) (err error) {
	info := *v.parts[0].Info()
	joinLimits(v, &info)
	info.Notes, info.Findings = c.remarks(v)
	info.Notes, info.Findings, info.Rebased = slices.Concat(info.Notes, v.notes), slices.Concat(info.Findings, v.findings), v.rebased
	for _, p := range v.parts[1:] {
		info.Memory = max(info.Memory, p.Info().Memory)
	}
	dim := slices.Index(info.DimensionNames, c.how.Concat)
	parts, err := c.taken(v, dim)
	if err != nil {
		return err
	}
	if c.how.Stack != "" {
		v.array, err = c.stack(info, parts)
		return err
	}
	if slices.Contains(info.DimensionNames[dim+1:], c.how.Concat) {
		return fmt.Errorf("array %q has the dimension %q twice and cannot be joined along it: exclude it", v.path, c.how.Concat)
	}
	if len(v.parts) == 1 && v.stored == nil {
		v.array = v.parts[0]
		return nil
	}
	if info.Codecs == nil && len(info.Shape) == 1 && !evenly(parts) {
		// Files end within chunks, so no grid of chunks fits the whole. A region that
		// is much longer than a chunk cuts few of them.
		info.LongRun = max(info.LongRun, 4*longestChunk(parts))
		info.Chunks = nil
	}
	if v.lists {
		v.array, err = sources.JoinLists(info, parts)
		return err
	}
	v.array, err = sources.Join(info, dim, parts)
	return err
}

// stack stacks the parts along the new dimension, in chunks of one index.
func (c *combined) stack(info sources.Info, parts []sources.Array) (sources.Array, error) {
	names := info.DimensionNames
	if names == nil {
		names = make([]string, len(info.Shape))
	}
	info.DimensionNames = slices.Concat([]string{c.how.Stack}, names)
	info.Unlimited = []string{c.how.Stack}
	for _, shape := range []*[]int{&info.Chunks, &info.Shards} {
		if *shape != nil {
			*shape = slices.Concat([]int{1}, *shape)
		}
	}
	info.Lists = nil
	info.Codecs, info.Obstacle = nil, "the codecs of the source are for another number of dimensions"
	return sources.Stack(info, parts)
}

// evenly reports whether arrays of one dimension, laid end to end, are in chunks of one
// length. Only the last chunk may be shorter.
func evenly(parts []sources.Array) bool {
	n := 0
	for i, p := range parts {
		info := p.Info()
		switch {
		case info.Shape[0] == 0:
			continue
		case info.Chunks == nil:
			return false
		case n == 0:
			n = info.Chunks[0]
		}
		rest := slices.IndexFunc(parts[i+1:], func(p sources.Array) bool { return p.Info().Shape[0] > 0 })
		if last := rest < 0; !last && (info.Chunks[0] != n || info.Shape[0]%n != 0) || last && min(info.Chunks[0], info.Shape[0]) > n {
			return false
		}
	}
	return n > 0
}

// longestChunk is the size of the largest chunk of arrays of one dimension, in
// bytes.
func longestChunk(parts []sources.Array) int {
	most := 0
	for _, p := range parts {
		if info := p.Info(); info.Chunks != nil {
			most = max(most, min(info.Chunks[0], info.Shape[0])*ndarray.ItemSize(info.Type))
		}
	}
	return most
}

// takeFirst takes the first member's variable, and compares it with those of the other
// members.
func (c *combined) takeFirst(ctx context.Context, v *variable) error {
	values, err := c.compareAll(ctx, v)
	if err != nil || v.report.Len() > 0 {
		return err
	}
	differ := 0
	for i, m := range values.differs {
		if m == nil {
			continue
		}
		differ++
		text := mismatchText(m, c.names[v.first()], c.names[i])
		if !c.how.Override {
			v.report.Add(fmt.Errorf("array %q: %s, but the array does not get the dimension %q: exclude it, or take the first file's array with join: override", v.path, text, c.how.Dimension()))
		} else if differ == 1 {
			v.note("%s; the first is taken", text)
		}
	}
	if differ > 1 && c.how.Override {
		v.note("%d files have other values than the first", differ)
	}
	switch {
	case values.partial != "" && c.how.Override:
		v.note("taken from %s; %s with the other files", c.names[v.first()], values.partial)
	case values.partial != "":
		v.findings = append(v.findings, cf.Finding{
			Code:    Uncompared,
			Message: fmt.Sprintf("taken from %s as the values of all files: %s, with no difference", c.names[v.first()], values.partial),
			Hint:    "exclude it, join fewer files at a time, or set join: override if those of the first file will do",
		})
	}
	v.keepFirst()
	return nil
}

// compareAll compares the descriptions and the values of a variable in all members.
func (c *combined) compareAll(ctx context.Context, v *variable) (values comparison, err error) {
	if err = c.compare(ctx, v); err == nil && v.report.Len() == 0 {
		err = c.checkRebased(ctx, v)
	}
	if err == nil && v.report.Len() == 0 {
		values, err = c.compareValues(ctx, v)
	}
	if err != nil {
		err = c.refusedOr(v, err)
	}
	return values, err
}

// keepFirst takes the first member's array, with the notes and findings of the variable.
func (v *variable) keepFirst() {
	first := v.parts[v.first()]
	info := *first.Info()
	info.Notes = slices.Concat(info.Notes, v.notes)
	info.Findings = slices.Concat(info.Findings, v.findings)
	info.Rebased = v.rebased
	v.array = sources.Described(first, &info)
}

// stackCoordinate takes the first member's coordinate if all members have the same one.
// Otherwise, or if not all values were compared, it stacks the coordinate. The coordinate
// of a dimension is never stacked.
func (c *combined) stackCoordinate(ctx context.Context, v *variable) error {
	info := v.parts[v.first()].Info()
	if slices.Equal(info.DimensionNames, []string{path.Base(v.path)}) || slices.Contains(v.parts, nil) {
		return c.takeFirst(ctx, v)
	}
	v.joined = true
	values, err := c.compareAll(ctx, v)
	if err != nil || v.report.Len() > 0 {
		return err
	}
	i := slices.IndexFunc(values.differs, func(m *compare.Mismatch) bool { return m != nil })
	if i < 0 && values.partial == "" {
		if len(v.parts) > 1 {
			v.note("a coordinate that all files share: it does not get the dimension %q", c.how.Stack)
		}
		v.keepFirst()
		return nil
	}
	why := values.partial + ", with no difference"
	if i >= 0 {
		why = mismatchText(values.differs[i], c.names[v.first()], c.names[i])
	}
	v.note("a coordinate that gets the dimension %q: %s", c.how.Stack, why)
	if err := c.lay(v); err != nil {
		v.report.Add(err)
	}
	return nil
}

// mismatchText says where two members have other values.
func mismatchText(m *compare.Mismatch, first, other string) string {
	return fmt.Sprintf("the value at %v is %s in %s and %s in %s", m.Index, m.X, first, m.Y, other)
}
