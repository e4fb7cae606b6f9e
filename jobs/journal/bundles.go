package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/sinks"
)

// Campaign returns the campaign of the checkpoint as it was when the journal was opened; nil if
// there was none.
func (j *Journal) Campaign(ctx context.Context) (*Campaign, error) {
	j.mu.Lock()
	has := j.unlisted || slices.Contains(j.listed, campaignKey)
	j.mu.Unlock()
	if !has {
		return nil, nil
	}
	return ReadCampaign(ctx, j.st)
}

// Attempts returns the attempts at bundles that were listed when the journal was opened, in
// the order of their units. Those of other plans are left out unless all is set.
func (j *Journal) Attempts(all bool) []Attempt {
	j.mu.Lock()
	defer j.mu.Unlock()
	own := digestOf(j.manifest)
	byKey := map[string]*Attempt{}
	for _, key := range j.listed {
		a, suffix, ok := parseAttempt(key)
		if !ok || !all && (j.manifest == nil || a.plan != own) {
			continue
		}
		x := byKey[a.key("")]
		if x == nil {
			x = &a
			byKey[a.key("")] = x
		}
		x.Ended = x.Ended || suffix != begunSuffix
		x.Failed = x.Failed || suffix == failureSuffix
	}
	list := make([]Attempt, 0, len(byKey))
	for _, a := range byKey {
		list = append(list, *a)
	}
	slices.SortFunc(list, func(a, b Attempt) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.End, b.End), strings.Compare(a.Run, b.Run), cmp.Compare(a.Number, b.Number))
	})
	return list
}

// NewAttempt returns the n-th attempt of a process at a bundle of the journal's plan.
func (j *Journal) NewAttempt(run string, n int, b Bundle) *Attempt {
	return &Attempt{Bundle: b, Run: run, Number: n, plan: digestOf(j.Manifest())}
}

// BeginAttempt records that an attempt has begun. Like EndAttempt, it does not need the lock
// of the checkpoint.
func (j *Journal) BeginAttempt(ctx context.Context, a *Attempt) error {
	if err := j.st.Create(ctx, a.key(begunSuffix), nil); err != nil {
		return err
	}
	return j.st.Sync(ctx)
}

// EndAttempt records the receipts of an attempt, durably, or the reason for which some units
// have none. The objects of the receipts must be durable before.
func (j *Journal) EndAttempt(ctx context.Context, a *Attempt, receipts []sinks.Receipt, failed error) error {
	if failed == nil || len(receipts) > 0 {
		var text []byte
		for data, err := range encodeSegments(receipts, segmentLimit) {
			if err != nil {
				return err
			}
			if text != nil || len(data) > segmentLimit {
				return fmt.Errorf("the units %d-%d are too many for one object of receipts: make more bundles", a.First, a.End)
			}
			text = slices.Clone(data)
		}
		if err := j.st.Create(ctx, a.key(madeSuffix), text); err != nil {
			return err
		}
	}
	if failed != nil {
		data, err := json.Marshal(Failure{Error: failed.Error(), Time: time.Now().UTC()})
		if err != nil {
			return err
		}
		if err := j.st.Create(ctx, a.key(failureSuffix), data); err != nil {
			return err
		}
	}
	return j.st.Sync(ctx)
}

// FailureOf returns why an attempt has failed.
func (j *Journal) FailureOf(ctx context.Context, a *Attempt) (f Failure, err error) {
	data, err := j.st.ReadAll(ctx, a.key(failureSuffix), campaignLimit)
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	return f, err
}
