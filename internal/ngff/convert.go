package ngff

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/zarr"
)

// members are the attributes that are metadata of version 0.4, in the order in which 0.5 gets
// them. Each is metadata only if it has the form of them.
var members = []string{"bioformats2raw.layout", "plate", "well", "series", "multiscales", "omero", "labels", "image-label"}

const (
	version4 = "0.4"
	version5 = "0.5"
)

// quoted5 is version5 as JSON.
var quoted5 = json.RawMessage(`"` + version5 + `"`)

// Concerned reports whether a group may have metadata, by the names of its attributes.
func Concerned(list zarr.Attributes) bool {
	return slices.ContainsFunc(list, func(a zarr.Attribute) bool { return slices.Contains(members, a.Name) })
}

// Convert returns the attributes of a group with its metadata of version 0.4 changed to those
// of 0.5, and a finding about that. If the metadata are of another version or have not the
// form of 0.4, the attributes stay as they are and the finding says why. Attributes that are
// not metadata stay untouched. group is the path of the group. of returns the attributes of
// the group at a path, nil if there is no such group. There is no finding about a group
// without metadata.
func Convert(group string, list zarr.Attributes, of func(path string) zarr.Attributes) (zarr.Attributes, *cf.Finding) {
	found := found(group, list, of)
	if len(found) == 0 {
		return list, nil
	}
	kept := func(format string, args ...any) (zarr.Attributes, *cf.Finding) {
		return list, &cf.Finding{
			Code:    Kept,
			Message: "its OME-NGFF metadata stay as they are, and readers of version 0.5 do not find them: " + fmt.Sprintf(format, args...),
			Hint:    "give the group an attribute ome in the section groups; source.ngff: keep is silent",
		}
	}
	if text := list.Get(Attribute); text != nil {
		if o, ok := object(text); ok && has(o, "version") {
			return list, nil // these are of version 0.5 or later
		}
		return kept("it has another attribute ome")
	}
	ome := zarr.Attributes{{Name: "version", Value: quoted5}}
	for _, name := range found {
		text := list.Get(name)
		if v := versionOf(name, text); v != version4 && v != "" {
			return kept("%s is of version %s, and only 0.4 says all that 0.5 needs", name, clipped(v))
		}
		if err := check(name, text); errors.Is(err, errOlder) {
			return kept("%s is of %v", name, err)
		} else if err != nil {
			return kept("%s is not that of 0.4: %v", name, err)
		}
		ome = ome.With(name, ofVersion5(name, text))
	}
	for _, name := range found {
		list = list.With(name, nil)
	}
	f := &cf.Finding{
		Code:    Converted,
		Message: "its OME-NGFF metadata of version 0.4 become those of 0.5, in the attribute ome",
		Hint:    "source.ngff: keep leaves them as they are",
	}
	if slices.Contains(found, "bioformats2raw.layout") {
		f.Message += "; the file OME/METADATA.ome.xml is no part of a Zarr hierarchy and is not copied: put it into the folder OME of the target when the job is done"
	}
	return list.With(Attribute, written(ome)), f
}

// found returns the names of the attributes of a group that are metadata of a version up to
// 0.4. A name such as well means something else in other hierarchies, so the form of the
// attribute and its surroundings count.
func found(group string, list zarr.Attributes, of func(path string) zarr.Attributes) (names []string) {
	image := isMultiscales(list.Get("multiscales"))
	above, below := zarr.Parent(group)
	for _, name := range members {
		text := list.Get(name)
		if text == nil {
			continue
		}
		o, _ := object(text)
		ok := false
		switch name {
		case "multiscales":
			ok = image
		case "omero", "image-label":
			ok = image && o != nil
		case "plate":
			ok = has(o, "rows", "columns", "wells")
		case "well":
			images, isList := objects(o.Get("images"))
			ok = isList && has(images[0], "path")
		case "bioformats2raw.layout":
			ok = string(text) == "3"
		case "series":
			_, ok = texts(text)
			ok = ok && below && path.Base(group) == "OME" && of(above).Get("bioformats2raw.layout") != nil
		case "labels":
			ok = isLabels(group, text, of)
		}
		if ok {
			names = append(names, name)
		}
	}
	return names
}

// isLabels reports whether an attribute lists the label images of a group. The group is named
// labels and lies in an image, or the groups that it lists are images.
func isLabels(group string, text json.RawMessage, of func(path string) zarr.Attributes) bool {
	list, ok := texts(text)
	if !ok || len(list) == 0 {
		return false
	}
	if above, below := zarr.Parent(group); below && path.Base(group) == "labels" && isImage(of(above)) {
		return true
	}
	return !slices.ContainsFunc(list, func(name string) bool { return !isImage(of(path.Join(group, name))) })
}

// isImage reports whether a group with these attributes is an image, before or after Convert.
func isImage(list zarr.Attributes) bool {
	o, _ := object(list.Get(Attribute))
	return isMultiscales(list.Get("multiscales")) || isMultiscales(o.Get("multiscales"))
}

// versionOf returns the version that a member states, "" if it states none.
func versionOf(name string, text json.RawMessage) (version string) {
	switch name {
	case "multiscales":
		list, _ := objects(text)
		for _, m := range list {
			if v, ok := str(m, "version"); ok && (version == "" || v != version4) {
				version = v
			}
		}
	case "plate", "well", "image-label": // omero has the version of other metadata in some files
		o, _ := object(text)
		version, _ = str(o, "version")
	}
	return version
}

// check returns an error if a member lacks what version 0.5 demands.
func check(name string, text json.RawMessage) error {
	switch name {
	case "multiscales":
		list, _ := objects(text)
		for _, m := range list {
			if _, err := axesOf(m); err != nil {
				return err
			}
		}
	case "plate":
		o, _ := object(text)
		wells, ok := objects(o.Get("wells"))
		if !ok {
			return errors.New("it lists no wells")
		}
		for _, w := range wells {
			if _, ok := str(w, "path"); !ok || !has(w, "rowIndex", "columnIndex") {
				return errors.New("a well has no path, rowIndex or columnIndex")
			}
		}
	case "well":
		o, _ := object(text)
		images, _ := objects(o.Get("images"))
		for _, i := range images {
			if _, ok := str(i, "path"); !ok {
				return errors.New("an image has no path")
			}
		}
	case "omero":
		if o, _ := object(text); !has(o, "channels") {
			return errors.New("it has no channels")
		}
	}
	return nil
}

// ofVersion5 returns a member with the version 0.5, where the specification demands one beside
// that of the whole. Images have none of their own any more.
func ofVersion5(name string, text json.RawMessage) json.RawMessage {
	switch name {
	case "multiscales":
		list, _ := objects(text)
		for i := range list {
			list[i] = list[i].With("version", nil)
		}
		return written(list)
	case "omero":
		o, _ := object(text)
		return written(o.With("version", nil))
	case "plate", "well", "image-label":
		o, _ := object(text)
		return written(o.With("version", quoted5))
	}
	return text
}

// clipped bounds a text of the source for a message.
func clipped(s string) string { return fmt.Sprintf("%.20q", s) }
