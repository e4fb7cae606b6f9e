package input

import (
	"path"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/zarr"
)

// HierarchyOf returns the folder of a group or array, given the URL of its metadata
// document. ok is false if the file is no metadata document.
func HierarchyOf(url string) (folder string, ok bool) {
	name := path.Base(strings.ReplaceAll(url, `\`, "/"))
	if !slices.Contains([]string{zarr.MetadataKey, zarr.ConsolidatedKeyV2, zarr.GroupKeyV2, zarr.ArrayKeyV2}, name) {
		return "", false
	}
	folder = url[:len(url)-len(name)]
	return strings.TrimRight(folder, `/\`), true
}
