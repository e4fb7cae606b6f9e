// Package python has the text of the Python package zmigrate that other packages hand to a
// Python. The package itself is in src, and README.md describes it.
package python

import _ "embed"

// Dask is the module zmigrate.dask. It needs no other module of the package.
//
//go:embed src/zmigrate/dask.py
var Dask string
