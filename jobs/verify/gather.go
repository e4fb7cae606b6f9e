package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray/deviation"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/zarr"
)

// checkParts returns an error if the options about parts make no sense.
func (o *Options) checkParts() error {
	p := o.Part
	switch {
	case p == Part{} && o.Gather == 0:
		return nil
	case p.Of != 0 && o.Gather != 0:
		return errors.New("verify: a part cannot be verified and gathered at the same time")
	case o.Level == Quick:
		return errors.New("verify: the level quick reads no objects, so it has no parts")
	case max(p.Of, o.Gather) > MostParts:
		return fmt.Errorf("verify: %d parts are too many: want at most %d", max(p.Of, o.Gather), MostParts)
	case o.Gather == 0 && (p.Of < 1 || p.Number < 0 || p.Number >= p.Of):
		return fmt.Errorf("verify: there is no part %v", p)
	case o.Gather < 0:
		return fmt.Errorf("verify: %d parts: want 1 or more", o.Gather)
	}
	return nil
}

// bound finds the objects of the part.
func (v *verification) bound(ctx context.Context) error {
	v.to = math.MaxInt64
	if v.opt.Part.Of == 0 {
		return nil
	}
	bytes := 0
	for o, err := range v.record.journal.Objects(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		bytes += int(o.Bytes)
	}
	first, end := v.opt.Part.of(bytes)
	v.from, v.to = int64(first), int64(end)
	return nil
}

// known takes the place of listing for a part: each object of the part counts as seen, and reading
// tells whether the target has it. It finds the nodes that the objects belong to.
func (v *verification) known(ctx context.Context) (err error) {
	if v.ledger, err = journal.NewLedger(v.record.journal.Objects(ctx)); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	v.unwritable = true // a part is short, so it keeps no progress
	v.nodes = map[string]bool{}
	asked := map[string]bool{}
	at := int64(0)
	for o, err := range v.record.journal.Objects(ctx) {
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		mine := at >= v.from && at < v.to
		if at += o.Bytes; !mine {
			continue
		}
		v.result.Objects++
		if e := v.ledger.Find(o.Key); e != nil {
			e.Seen = true
		}
		if _, _, ok := v.arrayOf(o.Key); ok {
			continue
		}
		if err := v.findNodes(ctx, o.Key, asked); err != nil {
			return err
		}
	}
	return nil
}

// findNodes asks the target which folders above an object are nodes, from the root on. asked has
// those that are known.
func (v *verification) findNodes(ctx context.Context, key string, asked map[string]bool) error {
	var folders []string
	for at := parent(key); ; at = parent(at) {
		folders = append(folders, at)
		if at == "" {
			break
		}
	}
	for _, at := range slices.Backward(folders) {
		if !asked[at] {
			asked[at] = true
			_, err := v.target.Stat(ctx, path.Join(at, zarr.MetadataKey))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("target: %w", err)
			}
			v.nodes[at] = err == nil
		}
		if !v.nodes[at] && at != "" {
			return nil
		}
	}
	return nil
}

// partsFolder is the folder of the checkpoint that has the results of parts.
const partsFolder = "verifying/"

// partLimit bounds the result of a part, in bytes.
const partLimit = 1 << 28

// partResult is what a part leaves in the checkpoint.
type partResult struct {
	Part        Part               `json:"part"`
	Objects     int                `json:"objects"`
	Read        int                `json:"objects_read"`
	Bytes       int64              `json:"bytes_read"`
	ByValues    int                `json:"objects_by_values"`
	ByChecksums int                `json:"objects_by_checksums"`
	Elements    int64              `json:"elements_compared"`
	Deviations  []*deviation.Saved `json:"deviations,omitempty"`
	Count       int                `json:"difference_count"`
	Differences []Difference       `json:"differences"`
}

// idOf returns a name for a verification in n parts of the target of a run. Verifications of another
// run of the job, or with other options, have other names.
func (o *Options) idOf(migrated time.Time, n int) string {
	text := fmt.Sprintf("%s %s %g %d %d", migrated.Format(time.RFC3339Nano), o.Level, o.Sample, o.Seed, n)
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// partsOf returns the folder of the results of this verification in n parts.
func (v *verification) partsOf(n int) string {
	return partsFolder + v.opt.idOf(v.record.done.Finished, n)[:12] + "/"
}

// Left tells of a verification in opt.Gather parts. Parts are those that were not verified. The
// name is that of this verification: another run of the job, or other options, have another one.
// Left opens no target.
func Left(ctx context.Context, j *jobfile.Job, env environment.Environment, opt Options) (parts []Part, name string, err error) {
	if err := opt.checkParts(); err != nil {
		return nil, "", err
	}
	v := &verification{job: j, env: env.Complete(), opt: opt}
	if v.checkpoint, err = environment.OpenCheckpoint(ctx, j, env, limits.New(j.Run.PerSecond)); err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, v.checkpoint.Close()) }()
	if v.record, err = readRecord(ctx, j, v.checkpoint, false); err != nil {
		return nil, "", err
	}
	var left *PartsError
	if err := v.complete(ctx); errors.As(err, &left) {
		parts, err = left.Missing, nil
	} else if err != nil {
		return nil, "", err
	}
	return parts, opt.idOf(v.record.done.Finished, opt.Gather), nil
}

func partKey(number int) string { return fmt.Sprintf("%06d.json", number) }

// putPart leaves the result of a part in the checkpoint.
func (v *verification) putPart(ctx context.Context) error {
	r := &v.result
	p := partResult{Part: v.opt.Part, Objects: r.Objects, Read: r.Read, Bytes: r.Bytes, ByValues: r.ByValues, ByChecksums: r.ByChecksums, Elements: r.Elements, Count: r.Count, Differences: r.Differences, Deviations: v.deviations}
	text, err := json.Marshal(p)
	if err == nil {
		err = v.checkpoint.Put(ctx, v.partsOf(p.Part.Of)+partKey(p.Part.Number), text)
	}
	if err == nil {
		err = v.checkpoint.Sync(ctx)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// complete returns a PartsError if some part has left no result.
func (v *verification) complete(ctx context.Context) error {
	folder, has := v.partsOf(v.opt.Gather), map[int]bool{}
	err := v.checkpoint.List(ctx, folder, func(o store.Info) error {
		number, _ := strings.CutSuffix(strings.TrimPrefix(o.Key, folder), ".json")
		if n, err := strconv.Atoi(number); err == nil {
			has[n] = true
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	var missing []Part
	for n := range v.opt.Gather {
		if !has[n] {
			missing = append(missing, Part{n, v.opt.Gather})
		}
	}
	if missing != nil {
		return fmt.Errorf("checkpoint %s: %w", v.checkpoint.URL(), &PartsError{missing, v.opt.Level})
	}
	return nil
}

// gather adds the results of the parts to what the list and the documents of the target have told.
func (v *verification) gather(ctx context.Context) error {
	told := map[string]bool{} // keys of objects that the list has shown to differ
	for _, d := range v.found.list {
		told[d.Key] = true
	}
	deviations := map[string]*deviation.Deviation{}
	if v.opt.Level.includes(Source) {
		v.result.Deviations = []deviation.Deviation{}
	}
	for n := range v.opt.Gather {
		key := v.partsOf(v.opt.Gather) + partKey(n)
		text, err := v.checkpoint.ReadAll(ctx, key, partLimit)
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		var p partResult
		if err := json.Unmarshal(text, &p); err != nil {
			return fmt.Errorf("checkpoint %s: %s is damaged: %w; verify the part %v again", v.checkpoint.URL(), key, err, Part{n, v.opt.Gather})
		}
		r := &v.result
		r.Read, r.Bytes, r.Elements = r.Read+p.Read, r.Bytes+p.Bytes, r.Elements+p.Elements
		r.ByValues, r.ByChecksums = r.ByValues+p.ByValues, r.ByChecksums+p.ByChecksums
		for _, d := range p.Differences {
			if !told[d.Key] {
				v.found.add(d)
			}
		}
		v.found.more(p.Count - len(p.Differences))
		for _, saved := range p.Deviations {
			var d deviation.Deviation
			d.Restore(saved)
			if sum := deviations[d.Array]; sum != nil {
				sum.Join(&d)
			} else {
				deviations[d.Array] = &d
			}
		}
	}
	for _, d := range deviations {
		d.Finish()
		v.result.Deviations = append(v.result.Deviations, *d)
	}
	return nil
}

// removeParts removes the results of the parts of this and of earlier verifications.
func (v *verification) removeParts(ctx context.Context) error {
	var keys []string
	err := v.checkpoint.List(ctx, partsFolder, func(o store.Info) error {
		keys = append(keys, o.Key)
		return nil
	})
	for _, key := range keys {
		if err == nil {
			err = v.checkpoint.Delete(ctx, key)
		}
	}
	if err != nil && !store.Unwritable(err) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
