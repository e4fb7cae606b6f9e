package app

import (
	"context"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/stages"
)

// kind says what a command does that others can watch. Metrics have it in their names.
type kind string

const (
	runs     kind = "run"
	verifies kind = "verify"
)

func (k kind) noun() string {
	if k == verifies {
		return "verification"
	}
	return string(k)
}

// observation is what others can see of a run, or of a verification, while it works and at its
// end.
type observation struct {
	kind    kind
	id      string // of the run
	job     *jobs.Job
	began   time.Time
	monitor stages.Monitor
	live    string // address of the socket that tells what the run does; "": none

	mu       sync.Mutex
	todo     jobs.Progress // of the plan that is run
	counts   counts        // of all plans of the run
	requests func() jobs.Requests
	earlier  jobs.Requests // of earlier plans of the run
	ended    time.Time     // zero: the run goes on
	status   int           // the exit status of a run that has ended
	result   *jobs.Result  // of the migration; nil: it has failed, or goes on
	verified verified
}

// verified is how far a verification has come. objects are those that it reads, and read those
// that it has read, with their bytes.
type verified struct {
	begun         bool
	objects, read int
	bytes         int64
	differences   int
}

// counts add up what a run has done.
type counts struct{ read, written, objects, empty int64 }

// identify gives a run of a job its identifier. All lines of its log have it.
func (a *app) identify(j *jobs.Job, as kind) *observation {
	o := &observation{kind: as, id: journal.NewRun(), job: j, began: time.Now()}
	a.seen.Store(o)
	a.env.Log = a.log.With("run", o.id)
	return o
}

// observed runs a job so that metrics and status --live see the run. At the end it
// calls the command of run.notify.
func (a *app) observed(c *cli.Context, j *jobs.Job, run func(*cli.Context, *jobs.Job) error) error {
	o := a.identify(j, runs)
	address, done, err := o.serve(c.Context)
	if err == nil {
		o.live = address
		defer done()
	} else {
		a.env.Log.InfoContext(c.Context, "status --live will not see this run", "error", err)
	}
	if err = a.metrics.add(o); err == nil {
		err = run(c, j)
	}
	a.ended(c.Context, o, err)
	a.notify(c.Context, o, err)
	return err
}

// ended tells how a run has ended. err is nil if the run has succeeded.
func (a *app) ended(ctx context.Context, o *observation, err error) {
	o.mu.Lock()
	o.ended, o.status = time.Now(), a.status(err)
	o.mu.Unlock()
	a.metrics.save(ctx)
}

// owner is the owner of the locks of the run.
func (o *observation) owner() journal.Owner {
	owner := journal.ThisProcess("zmigrate run " + o.job.File)
	owner.Run, owner.Live = o.id, o.live
	return owner
}

// plan sets the plan on which the run works from now on, so that its requests are counted;
// nil: the run works on no plan.
func (o *observation) plan(requests func() jobs.Requests) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.earlier, o.requests = o.sent(), requests
}

// sent returns the requests of the run so far. The caller holds mu.
func (o *observation) sent() jobs.Requests {
	if o.requests == nil {
		return o.earlier
	}
	now := o.requests()
	return jobs.Requests{Source: o.earlier.Source.Plus(now.Source), Target: o.earlier.Target.Plus(now.Target)}
}

// migrated tells the result of a plan.
func (o *observation) migrated(r *jobs.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.result = r
	o.todo = jobs.Progress{Chunks: r.Chunks, ChunksDone: r.Chunks, Bytes: r.BytesIn, BytesDone: r.BytesIn}
}

// begin tells what there is to do, and what is done.
func (o *observation) begin(todo jobs.Progress) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.todo = todo
}

// verification changes what is known of the verification.
func (o *observation) verification(change func(v *verified)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(&o.verified)
}

// observe counts a unit, or a piece of a unit. Several goroutines call it.
func (o *observation) observe(e stages.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.counts.read += e.Read
	switch {
	case e.Partial:
		return
	case e.Empty:
		o.counts.empty++
	default:
		o.counts.objects++
		o.counts.written += e.Bytes
	}
	o.todo.ChunksDone++
}
