package jobfile

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/zarr"
)

// Normalised returns the job as canonical JSON, with sorted keys and defaults
// filled in. The hash of a plan covers this text. Two jobs with equal
// text write the same hierarchy from the same source. The text leaves out what does
// not change the hierarchy: the name, positions, target.existing, and all of the run
// section but its path. Numbers keep their digits. References are as the file spells
// them, so that a folder with job, data and target can move as a whole.
func (j *Job) Normalised() []byte {
	arrays, globs := map[string]any{}, []string{}
	for _, r := range j.Arrays {
		arrays[r.Pattern] = normalOptions(r.ArrayOptions)
		if isGlob(r.Pattern) {
			globs = append(globs, r.Pattern)
		}
	}
	job := map[string]any{
		"zmigrate": Version,
		"source":   normalSource(j.Source, j.traits().Declared),
		"target":   normalTarget(j.Target),
		"defaults": normalOptions(j.Defaults),
		"arrays":   arrays,
		"run":      map[string]any{"path": j.Run.Path},
	}
	if groups := normalGroups(j.Groups); len(groups) > 0 {
		job["groups"] = groups
	}
	put(job, "dimensions", j.Dimensions, len(j.Dimensions) > 0)
	if len(globs) > 1 {
		job["glob_order"] = globs // of several that match, the last one wins
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(job); err != nil {
		panic("jobfile: a job does not encode as JSON: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// normalGroups returns the attributes of groups by their paths.
func normalGroups(rules []GroupRule) map[string]any {
	m := map[string]any{}
	for _, r := range rules {
		put(m, r.Path, normalAttributes(r.Attributes), len(r.Attributes) > 0)
	}
	return m
}

func normalTarget(t Target) map[string]any {
	m := map[string]any{"url": spelling(t.Location), "consolidated": t.Consolidated, "store_empty_chunks": t.StoreEmptyChunks}
	put(m, "references", t.References, t.References != "")
	put(m, "append", t.Append, t.Append != "")
	put(m, "overlap", t.Overlap, t.LeavesOut())
	put(m, "digest_attribute", true, t.DigestAttribute)
	return m
}

// normalSource returns the source section with the driver's own name, even if the file has an
// alias. declared says that the driver has source.arrays instead of source.url.
func normalSource(s Source, declared bool) map[string]any {
	m := map[string]any{"driver": s.Driver, "cf": s.CF}
	if declared {
		arrays := map[string]any{}
		for _, a := range s.Arrays {
			arrays[a.Name] = normalRaw(a)
		}
		m["arrays"] = arrays
	} else {
		m["url"] = texts(s.Locations)
		put(m, "concat", s.Concat, s.Concat != "")
		put(m, "stack", s.Stack, s.Stack != "")
		put(m, "join", s.Join, s.Join == "override")
		put(m, "order", s.Order, s.Coordinate() != "" || s.Disordered())
		put(m, "overlap", s.Overlap, s.Overlap != "" && s.Overlap != "error")
	}
	put(m, "time", "keep", s.Time.Keep)
	put(m, "time", map[string]any{"units": s.Time.Units}, s.Time.Units != "")
	put(m, "missing_chunks", s.MissingChunks, s.MissingChunks == "error")
	put(m, "ngff", s.NGFF, s.NGFF == "keep")
	put(m, "unsupported", s.Unsupported, s.Unsupported == "skip")
	put(m, "follow", "none", s.Follow.Nothing)
	put(m, "follow", texts(s.Follow.Folders), len(s.Follow.Folders) > 0)
	put(m, "compound", s.Compound, s.Compound == "fields")
	put(m, "references", s.References, s.References == "skip")
	put(m, "include", s.Include, len(s.Include) > 0)
	put(m, "exclude", s.Exclude, len(s.Exclude) > 0)
	put(m, "coordinates", false, s.NoCoordinates)
	put(m, "select", normalSelections(s.Select), len(s.Select) > 0)
	return m
}

func normalRaw(a RawArray) map[string]any {
	m := map[string]any{
		"url": texts(a.Locations), "data_type": canonical(a.DataType), "shape": a.Shape, "order": a.Order, "offset": a.Offset,
	}
	put(m, "endian", a.Endian, a.Endian != "")
	put(m, "stack", a.Stack, a.Stack != "")
	put(m, "concat", a.Concat, a.Concat != "")
	put(m, "dimension_names", a.DimensionNames, a.DimensionNames != nil)
	put(m, "attributes", normalAttributes(a.Attributes), len(a.Attributes) > 0)
	return m
}

func normalOptions(o ArrayOptions) map[string]any {
	m := map[string]any{}
	put(m, "rename", o.Rename, o.Rename != "")
	put(m, "chunks", "auto", o.Chunks.Auto)
	put(m, "chunks", "keep", o.Chunks.Keep)
	put(m, "chunks", o.Chunks.Shape, o.Chunks.Shape != nil)
	put(m, "chunks", o.Chunks.By.normal(), o.Chunks.By != nil)
	put(m, "access", o.Access, o.Access != "")
	put(m, "shards", o.Shards, o.Shards != nil)
	put(m, "shards", o.ShardsBy.normal(), o.ShardsBy != nil)
	put(m, "fill_value", canonical(o.FillValue), o.FillValue != nil)
	put(m, "dimension_names", o.DimensionNames, o.DimensionNames != nil)
	put(m, "attributes", normalAttributes(o.Attributes), len(o.Attributes) > 0)
	put(m, "data_type", canonical(o.DataType), o.DataType != nil)
	cast := map[string]any{}
	put(cast, "rounding", o.Cast.Rounding, o.Cast.Rounding != "")
	put(cast, "out_of_range", o.Cast.OutOfRange, o.Cast.OutOfRange != "")
	put(cast, "scalar_map", canonical(o.Cast.ScalarMap), o.Cast.ScalarMap != nil)
	put(m, "cast", cast, len(cast) > 0)
	put(m, "allow_inexact", true, o.AllowInexact)
	put(m, "codecs", "keep", o.Codecs.Keep)
	put(m, "codecs", normalCodecs(o.Codecs.Chain), o.Codecs.Chain != nil)
	put(m, "cf", o.CF, o.CF != "")
	return m
}

func put(m map[string]any, key string, value any, given bool) {
	if given {
		m[key] = value
	}
}

// texts returns the spellings of references without the query of an HTTP URL, which
// may be a secret. If another query names other objects, the files of the source
// differ.
func texts(list []Location) []string {
	s := make([]string, len(list))
	for i, l := range list {
		s[i] = store.Shown(spelling(l))
	}
	return s
}

// spelling is the text of a reference; a path is cleaned.
func spelling(l Location) string {
	if store.Local(l.Text) && !strings.Contains(l.Text, "://") {
		return filepath.Clean(l.Text)
	}
	return l.Text
}

func normalAttributes(list zarr.Attributes) map[string]any {
	m := map[string]any{}
	for _, a := range list {
		m[a.Name] = canonical(a.Value)
	}
	return m
}

// normalCodecs writes every codec in the long form, without a configuration
// that says nothing.
func normalCodecs(chain []codecs.Spec) []any {
	list := make([]any, len(chain))
	for i, s := range chain {
		m := map[string]any{"name": s.Name}
		put(m, "configuration", canonical(s.Configuration), len(s.Configuration) > 0 && string(s.Configuration) != "{}")
		list[i] = m
	}
	return list
}

// CodecsText spells a chain as canonical JSON, for messages.
func CodecsText(chain []codecs.Spec) string { return show(normalCodecs(chain)) }

// canonical decodes JSON so that encoding it again sorts the keys and keeps
// every digit.
func canonical(text json.RawMessage) any {
	if text == nil {
		return nil
	}
	v, err := decodeJSON(text)
	if err != nil {
		panic("jobfile: a value of a job is not JSON: " + err.Error())
	}
	return v
}

func decodeJSON(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func show(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("jobfile: a decoded value does not encode: " + err.Error())
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
