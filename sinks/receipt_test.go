package sinks

import (
	"math"
	"testing"

	"github.com/zmigrate/zmigrate/dtype/ndarray/digest"
)

// TestCheckOfReceipt: a receipt may not contradict itself.
func TestCheckOfReceipt(t *testing.T) {
	for name, c := range map[string]struct {
		receipt Receipt
		ok      bool
	}{
		"of the first unit":    {Receipt{Key: "c/0", Bytes: 5, Sum: 1}, true},
		"empty":                {Receipt{Empty: true}, true},
		"several":              {Receipt{Unit: 3, Empty: true, More: 2}, true},
		"to the last number":   {Receipt{Unit: 3, Empty: true, More: math.MaxInt - 3}, true},
		"behind it":            {Receipt{Unit: 3, Empty: true, More: math.MaxInt - 2}, false},
		"several with a key":   {Receipt{Key: "c/0", More: 1}, false},
		"no array":             {Receipt{Array: -1}, false},
		"no unit":              {Receipt{Unit: -1}, false},
		"no bytes":             {Receipt{Bytes: -1}, false},
		"fewer than one":       {Receipt{Empty: true, More: -1}, false},
		"empty with a key":     {Receipt{Empty: true, Key: "c/0"}, false},
		"empty with bytes":     {Receipt{Empty: true, Bytes: 1}, false},
		"empty with a sum":     {Receipt{Empty: true, Sum: 1}, false},
		"empty with a digest":  {Receipt{Empty: true, Digest: digest.Optional{Known: true}}, false},
		"empty with a version": {Receipt{Empty: true, Version: "v"}, false},
	} {
		if err := c.receipt.Check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
