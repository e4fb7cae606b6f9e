// Package combine makes one source of many files. [Open] opens each file once and
// joins the arrays along a dimension that they have, or stacks them along a new one.
// Whatever differs between the files is found, and judged, before anything is written.
package combine
