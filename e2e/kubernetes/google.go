package main

import (
	"encoding/json"
	"io"

	"google.golang.org/api/batch/v1"
)

// checkGoogle decodes a job of Google Batch.
func checkGoogle(in io.Reader) error {
	d := json.NewDecoder(in)
	d.DisallowUnknownFields()
	return d.Decode(new(batch.Job))
}
