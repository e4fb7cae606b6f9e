package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zmigrate/zmigrate/internal/store"
)

const (
	campaignKey = "campaign.json"
	work        = "work/"

	campaignLimit = 64 << 10 // bytes of campaign.json and of the record of a failure
)

// Campaign says that several processes work on the plan of a checkpoint.
type Campaign struct {
	Plan    string    `json:"plan"`    // the hash of the plan
	Version string    `json:"version"` // of the program that has made the plan
	Token   string    `json:"token"`   // random: tells whether two machines see the same place
	Job     string    `json:"job"`     // the name of the job
	By      Owner     `json:"by"`
	Saved   time.Time `json:"saved"`
	// Checkpoint is the URL of the checkpoint that has the campaign, if the campaign is
	// written beside the target instead.
	Checkpoint string `json:"checkpoint,omitempty"`
}

// ReadCampaign returns the campaign of the checkpoint in st; nil if there is none.
func ReadCampaign(ctx context.Context, st *store.Store) (*Campaign, error) {
	data, err := st.ReadAll(ctx, campaignKey, campaignLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := new(Campaign)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("%s: %s is damaged: %w; save the plan again", st.URL(), campaignKey, err)
	}
	return c, nil
}

// WriteCampaign stores a campaign in st, durably.
func WriteCampaign(ctx context.Context, st *store.Store, c *Campaign) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := st.Put(ctx, campaignKey, data); err != nil {
		return err
	}
	return st.Sync(ctx)
}

// RemoveCampaign removes the campaign of st, durably.
func RemoveCampaign(ctx context.Context, st *store.Store) error {
	if err := st.Delete(ctx, campaignKey); err != nil {
		return err
	}
	return st.Sync(ctx)
}

// Bundle is a range of units of a plan: First and those after it, before End. The numbers
// of units count through the arrays, in the order of the plan.
type Bundle struct {
	First int `json:"first"`
	End   int `json:"end"`
}

// Units returns the number of units of the bundle.
func (b Bundle) Units() int { return b.End - b.First }

// Attempt is one attempt of a process at a bundle.
type Attempt struct {
	Bundle
	Run    string // of the process, see [Owner]
	Number int    // counts the attempts of the process
	// Ended tells that the process has left receipts, or the reason for which it has none.
	// Failed tells that it has left a reason. An attempt that has failed may have left
	// receipts of some units.
	Ended, Failed bool

	plan string // the first digits of the digest of the manifest
}

// key returns the key of an object of the attempt.
func (a *Attempt) key(suffix string) string {
	return fmt.Sprintf("%s%s/%s/%06d-%d-%d%s", work, a.plan, a.Run, a.Number, a.First, a.End, suffix)
}

// WorkerPlace returns the place of the lock of a process that works on a bundle, below the
// checkpoint.
func (a *Attempt) WorkerPlace() string { return work + a.plan + "/" + a.Run }

// WorkerPlaces returns the places of the locks of all workers of the checkpoint in st, see
// [Attempt.WorkerPlace]. On a local disk, these are all folders that workers have made.
func WorkerPlaces(ctx context.Context, st *store.Store) (places []string, err error) {
	plans, err := st.Folders(ctx, strings.TrimSuffix(work, "/"))
	for _, plan := range plans {
		var runs []string
		if err == nil {
			runs, err = st.Folders(ctx, work+plan)
		}
		for _, run := range runs {
			places = append(places, work+plan+"/"+run)
		}
	}
	return places, err
}

// The objects of an attempt.
const (
	begunSuffix   = ".begun"       // it has begun
	madeSuffix    = ".jsonl"       // its receipts, in the form of a segment
	failureSuffix = ".failed.json" // why it has failed
)

// anyAttempt returns what matches the keys of the objects of attempts. It is compiled when
// it is first needed, because compiling the repetitions takes a part of the start.
var anyAttempt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^work/([0-9a-f]{12})/([0-9a-z-]{1,64})/([0-9]{6,18})-([0-9]{1,18})-([0-9]{1,18})(\.begun|\.jsonl|\.failed\.json)$`)
})

// parseAttempt reads the key of an object of an attempt.
func parseAttempt(key string) (a Attempt, suffix string, ok bool) {
	m := anyAttempt().FindStringSubmatch(key)
	if m == nil {
		return a, "", false
	}
	a.plan, a.Run, suffix = m[1], m[2], m[6]
	for i, n := range []*int{&a.Number, &a.First, &a.End} {
		*n, _ = strconv.Atoi(m[3+i]) // digits, and not too many
	}
	return a, suffix, true
}

// Failure says why an attempt has failed.
type Failure struct {
	Error string    `json:"error"`
	Time  time.Time `json:"time"` // by the clock of the worker
}
