package app

import (
	"context"
	"errors"

	"github.com/zmigrate/zmigrate/engines/dask"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/jobs/verify"
	"github.com/zmigrate/zmigrate/stages"
)

// status returns the exit status for an error; nil is success.
func (a *app) status(err error) int {
	var wrong invalidError
	var problems jobs.Problems
	var place *jobfile.PlaceError
	var held *journal.HeldError
	var missing *run.MissingError
	var parts *verify.PartsError
	var unfinished *dask.UnfinishedError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &place):
		return exitFailed
	case errors.As(err, &wrong), errors.As(err, &problems):
		return exitInvalid
	case errors.As(err, &held):
		return exitLocked
	case errors.Is(err, errDiffers):
		return exitDiffers
	case errors.Is(err, stages.ErrStopped), errors.Is(err, context.Canceled):
		if a.interrupted.Load() {
			return exitInterrupted
		}
		return exitStopped
	case errors.As(err, &missing), errors.As(err, &parts), errors.As(err, &unfinished), errors.Is(err, journal.ErrLost), errors.Is(err, journal.ErrUnproved), limits.Passing(err):
		return exitStopped
	default:
		return exitFailed
	}
}

// interruptedError says what a signal has interrupted, in the place of an error that only says that
// a context was canceled.
type interruptedError struct {
	text  string
	cause error
}

func (e *interruptedError) Error() string { return e.text }

func (e *interruptedError) Unwrap() error { return e.cause }

// interruption returns the error of a command that a signal has canceled in words for people. Other
// errors stay.
func (a *app) interruption(err error) error {
	var told *interruptedError
	if !errors.Is(err, context.Canceled) || errors.Is(err, stages.ErrStopped) || errors.As(err, &told) {
		return err
	}
	select {
	case <-a.stop:
		return &interruptedError{"interrupted: give the same command again", err}
	default:
		return err
	}
}
