package jobs

import (
	"context"
	"errors"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

// DriverOf returns the driver for a source that no job describes.
func DriverOf(ctx context.Context, url string, env plan.Environment) string {
	opt := store.Options{Log: env.Log, Memory: env.Memory, Fault: env.Fault, Retries: -1}
	driver, _, err := drivers.Standard().Detect(ctx, url, opt)
	if err != nil {
		return "" // one of them takes whatever is there
	}
	return driver.Name
}

// errEnough ends a listing.
var errEnough = errors.New("seen enough")
