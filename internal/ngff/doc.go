// Package ngff knows the metadata of OME-NGFF, the format of microscope images in Zarr: where
// versions 0.4 and 0.5 place them, and to which nodes they refer. It reads no store.
//
// Version 0.4 is for Zarr v2, and version 0.5 for Zarr v3. The metadata of a group are
// attributes of the group:
//
//	0.4: {"multiscales": [{"version": "0.4", "axes": …, "datasets": …}], "omero": {…}}
//	0.5: {"ome": {"version": "0.5", "multiscales": [{"axes": …, "datasets": …}], "omero": {…}}}
//
// A plate, a well and an image-label still state the version, too, because the text of the
// specification demands it. Axes, transformations and everything else are the same in both. In 0.5, the arrays that a
// group names in its datasets have the names of the axes as names of their dimensions.
//
// The specifications are at https://ngff.openmicroscopy.org/0.4 and
// https://ngff.openmicroscopy.org/0.5.
//
// # Files
//
// The files, bottom up. Each uses only files above it in this list:
//
//	codes.go       codes of findings
//	object.go      JSON objects that keep the order of their members
//	multiscale.go  the images of a group, as far as they are checked
//	convert.go     Convert: metadata of version 0.4 become those of 0.5
//	retarget.go    Retarget: metadata of 0.5 whose nodes get other places, or are left out
package ngff
