// Command zmigrate moves scientific data to Zarr v3, from a declarative job
// file. See the README at the root of the repository.
package main

import (
	"os"

	"github.com/zmigrate/zmigrate/cmd/zmigrate/app"
)

func main() {
	os.Exit(app.Main(os.Args, os.Stdout, os.Stderr))
}
