package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
)

// Verified tells of the last verification of a target.
type Verified struct {
	Migrated    time.Time `json:"migrated"` // when the job was completed whose target was verified
	Time        time.Time `json:"time"`
	Level       string    `json:"level"`
	Sample      float64   `json:"sample"` // the part of the objects that was read; 1: all
	Differences int       `json:"difference_count"`
}

// verifiedKey is the key of the document in the checkpoint.
const verifiedKey = "verified.json"

// PutVerified records a verification in the checkpoint. It needs no lock, because the record
// names the completed run that was verified.
func PutVerified(ctx context.Context, checkpoint *store.Store, v Verified) error {
	text, err := json.Marshal(v)
	if err == nil {
		err = checkpoint.Put(ctx, verifiedKey, text)
	}
	if err == nil {
		err = checkpoint.Sync(ctx)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// lastVerified returns the last verification of the target of a completed job; nil if there was
// none since.
func lastVerified(ctx context.Context, checkpoint *store.Store, migrated time.Time) (*Verified, error) {
	const limit = 1 << 20
	text, err := checkpoint.ReadAll(ctx, verifiedKey, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	v := &Verified{}
	if json.Unmarshal(text, v) != nil || !v.Migrated.Equal(migrated) {
		return nil, nil
	}
	return v, nil
}
