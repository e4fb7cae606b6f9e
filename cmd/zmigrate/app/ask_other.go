//go:build !unix

package app

import "os"

// askSignals returns nothing, because this system has no signal for that.
func askSignals() []os.Signal { return nil }
