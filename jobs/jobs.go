package jobs

import (
	"context"

	"github.com/zmigrate/zmigrate/jobs/advise"
	"github.com/zmigrate/zmigrate/jobs/draft"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/report"
	"github.com/zmigrate/zmigrate/jobs/run"
	"github.com/zmigrate/zmigrate/jobs/trial"
	"github.com/zmigrate/zmigrate/jobs/verify"
)

// A program that runs jobs needs this package alone: here is what it uses of the job
// file, of plans and of runs.
type (
	Environment = environment.Environment

	Job      = jobfile.Job
	Problem  = jobfile.Problem
	Problems = jobfile.Problems

	Plan         = plan.Plan
	PlannedArray = plan.Array
	Requests     = plan.Requests
	Estimate     = trial.Estimate
	Advice       = advise.Advice

	AdviseOptions = advise.Options
	DraftOptions  = draft.Options
	ChangedError  = environment.ChangedError

	RunOptions  = run.Options
	Bundle      = run.Bundle
	Receipts    = run.Receipts
	Progress    = run.Progress
	Removal     = run.Removal
	Result      = run.Result
	Status      = run.Status
	ArrayStatus = run.ArrayStatus

	VerifyOptions = verify.Options
	Verification  = verify.Result
	Difference    = verify.Difference

	Report = report.Document
)

// The causes of errors that a program may want to tell apart.
var (
	ErrTargetExists = run.ErrTargetExists
	ErrTampered     = run.ErrTampered
	ErrNotBegun     = run.ErrNotBegun
	ErrReceipts     = run.ErrReceipts
	ErrOtherPlan    = plan.ErrOtherPlan
	ErrFinished     = plan.ErrFinished
	ErrOvertaken    = plan.ErrOvertaken
	ErrNoRecord     = verify.ErrNoRecord
	ErrUnfinished   = verify.ErrUnfinished
	ErrOtherJob     = verify.ErrOtherJob
)

// Load reads a job file, which may name the formats of the environment. set holds
// path.to.field=value arguments that replace or add fields. See [jobfile.Load].
func Load(path string, env Environment, set ...string) (*Job, error) {
	return jobfile.Load(path, jobfile.LoadOptions{Set: set, Drivers: env.Drivers})
}

// Parse is Load for text that was read already; see [jobfile.Parse].
func Parse(name string, text []byte, dir string, env Environment, set ...string) (*Job, error) {
	return jobfile.Parse(name, text, dir, jobfile.LoadOptions{Set: set, Drivers: env.Drivers})
}

// Schema returns the JSON Schema of job files, with the codecs and formats of the environment.
func Schema(env Environment) ([]byte, error) {
	return jobfile.Schema(env.Complete().Codecs, env.KnownDrivers())
}

// NewPlan opens the job's sources and decides everything else; see [plan.New].
func NewPlan(ctx context.Context, j *Job, env Environment) (*Plan, error) {
	return plan.New(ctx, j, env)
}

// Run does what a plan says and is not done yet, and leaves a report; see [run.Run].
func Run(ctx context.Context, p *Plan, env Environment, opt RunOptions) (*Result, error) {
	return report.Run(ctx, p, env, opt)
}

// Sample tries n chunks of an array of a plan, and says what the whole array would take. It
// writes nothing. See [trial.Array].
func Sample(ctx context.Context, p *Plan, a *PlannedArray, n int) (Estimate, error) {
	return trial.Array(ctx, p, a, n)
}

// Advise compares codec chains and chunk shapes on samples of an array of a plan. It writes
// nothing. See [advise.Array].
func Advise(ctx context.Context, p *Plan, a *PlannedArray, env Environment, opt AdviseOptions) (*Advice, error) {
	return advise.Array(ctx, p, a, env, opt)
}

// Draft returns the text of a first job file for a source. See [draft.New].
func Draft(ctx context.Context, locations []string, env Environment, opt DraftOptions) (string, error) {
	return draft.New(ctx, locations, env, opt)
}

// ReadPlan makes a plan that another process has written down; see [plan.Read].
func ReadPlan(ctx context.Context, j *Job, env Environment, document []byte) (*Plan, error) {
	return plan.Read(ctx, j, env, document)
}

// Begin, Work and Finish are the parts of Run, for a plan that several processes work on.
// See [run.Begin], [run.Work] and [run.Finish].
func Begin(ctx context.Context, p *Plan, env Environment, opt RunOptions) (complete bool, err error) {
	return run.Begin(ctx, p, env, opt)
}

// Work does some units of a plan; see [run.Work].
func Work(ctx context.Context, p *Plan, env Environment, units Bundle, opt RunOptions) (*Receipts, error) {
	return run.Work(ctx, p, env, units, opt)
}

// Finish completes the target of a plan; see [run.Finish].
func Finish(ctx context.Context, p *Plan, env Environment, receipts []*Receipts, opt RunOptions) (*Result, error) {
	return report.Finish(ctx, p, env, receipts, opt)
}

// ReadStatus reads the checkpoint of a job; see [run.ReadStatus].
func ReadStatus(ctx context.Context, j *Job, env Environment) (*Status, error) {
	return run.ReadStatus(ctx, j, env)
}

// Verify reads a target back, compares it with the record of its job, and leaves a report;
// see [verify.Verify].
func Verify(ctx context.Context, j *Job, env Environment, opt VerifyOptions) (*Verification, error) {
	return report.Verify(ctx, j, env, opt)
}

// ReadReport reads the report of a job. The error wraps fs.ErrNotExist if no run has left
// one. See [report.Document].
func ReadReport(ctx context.Context, j *Job, env Environment) (*Report, error) {
	return report.Read(ctx, j, env)
}
