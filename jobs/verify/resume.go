package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
)

// progressKey is the key of the document in the checkpoint that says how far a verification
// is. A verification that comes to its end removes it.
const progressKey = "verifying.json"

// progressLimit bounds the document, in bytes.
const progressLimit = 1 << 30

// resume reads how far an interrupted verification came.
func (v *verification) resume(ctx context.Context) error {
	fresh := progress{Migrated: v.result.Migrated, Level: v.opt.Level, Sample: v.result.Sample, Seed: v.opt.Seed}
	v.progress, v.saved = fresh, time.Now()
	if v.opt.Restart || v.opt.Level == Quick {
		return nil
	}
	text, err := v.checkpoint.ReadAll(ctx, progressKey, progressLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	var was progress
	v.stored = true
	if err := json.Unmarshal(text, &was); err != nil {
		if v.env.Log != nil {
			v.env.Log.WarnContext(ctx, "the progress of an interrupted verification cannot be read, so the verification begins anew", "error", err)
		}
		return nil
	}
	if !was.Migrated.Equal(fresh.Migrated) || was.Level != fresh.Level || was.Sample != fresh.Sample || was.Seed != fresh.Seed {
		return nil
	}
	v.progress = was
	return nil
}

// saveNowAndThen stores the progress if run.checkpoint.every has passed since it was stored
// last.
func (v *verification) saveNowAndThen(ctx context.Context) error {
	v.mu.Lock()
	due := !v.unwritable && time.Since(v.saved) >= v.job.Run.Every
	if due {
		v.saved = time.Now()
	}
	v.mu.Unlock()
	if !due {
		return nil
	}
	return v.save(ctx)
}

// save stores the progress. If the checkpoint cannot be written, save does nothing, and the
// verification cannot be resumed.
func (v *verification) save(ctx context.Context) error {
	v.saving.Lock()
	defer v.saving.Unlock()
	v.mu.Lock()
	v.stored = true
	for _, p := range v.progress.Source {
		p.Deviation = p.deviation.Save()
	}
	text, err := json.Marshal(v.progress)
	v.mu.Unlock()
	if err == nil {
		err = v.checkpoint.Put(ctx, progressKey, text)
	}
	if err == nil {
		err = v.checkpoint.Sync(ctx)
	}
	if err != nil && store.Unwritable(err) {
		v.mu.Lock()
		v.unwritable = true
		v.mu.Unlock()
		return nil
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// keep stores the progress of a verification that stops before its end. It does so although
// the context has ended.
func (v *verification) keep(ctx context.Context) error {
	const patience = 15 * time.Second
	if v.progress.Done == nil && v.progress.Source == nil || v.unwritable {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return v.save(ctx)
}

// forget removes the progress of a verification that came to its end.
func (v *verification) forget(ctx context.Context) error {
	if !v.stored {
		return nil
	}
	err := v.checkpoint.Delete(ctx, progressKey)
	if err != nil && !store.Unwritable(err) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
