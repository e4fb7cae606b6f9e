package jobs

import (
	"context"

	"github.com/zmigrate/zmigrate/jobs/advise"
	"github.com/zmigrate/zmigrate/jobs/draft"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
	"github.com/zmigrate/zmigrate/jobs/references"
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

	RunOptions     = run.Options
	Campaign       = journal.Campaign
	Bundle         = run.Bundle
	Worker         = run.Worker
	Receipts       = run.Receipts
	Progress       = run.Progress
	Removal        = run.Removal
	Result         = run.Result
	Status         = run.Status
	CampaignStatus = run.CampaignStatus
	ArrayStatus    = run.ArrayStatus

	ReferenceTable   = references.Table
	ReferenceOptions = references.Options
	ReferenceResult  = references.Result

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

// NewRepairPlan makes the plan of a run with RunOptions.Repair; see [plan.ForRepair].
func NewRepairPlan(ctx context.Context, j *Job, env Environment) (*Plan, error) {
	return plan.ForRepair(ctx, j, env)
}

// Run does what a plan says and is not done yet, and leaves a report; see [run.Run].
func Run(ctx context.Context, p *Plan, env Environment, opt RunOptions) (*Result, error) {
	return report.Run(ctx, p, env, opt)
}

// NewReferences decides what the table of references has of the arrays of a plan, whose job has
// target.references. Its Run writes the table. See [references.New].
func NewReferences(ctx context.Context, p *Plan, env Environment) (*ReferenceTable, error) {
	return references.New(ctx, p, env)
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

// Save makes a plan ready for several processes; see [run.Save].
func Save(ctx context.Context, p *Plan, env Environment, opt RunOptions) (c *Campaign, complete bool, err error) {
	return run.Save(ctx, p, env, opt)
}

// ReadSaved makes the plan that another process has saved; see [run.ReadSaved].
func ReadSaved(ctx context.Context, j *Job, env Environment) (*Plan, error) {
	return run.ReadSaved(ctx, j, env)
}

// NewWorker joins the campaign of a saved plan; see [run.NewWorker].
func NewWorker(ctx context.Context, p *Plan, env Environment, opt RunOptions) (*Worker, error) {
	return run.NewWorker(ctx, p, env, opt)
}

// Finish completes the target of a saved plan; see [run.Finish].
func Finish(ctx context.Context, p *Plan, env Environment, opt RunOptions) (*Result, error) {
	return report.Finish(ctx, p, env, opt)
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

// VerifyLeft tells which parts of a verification are left; see [verify.Left].
func VerifyLeft(ctx context.Context, j *Job, env Environment, opt VerifyOptions) (parts []verify.Part, name string, err error) {
	return verify.Left(ctx, j, env, opt)
}

// ReadReport reads the report of a job. The error wraps fs.ErrNotExist if no run has left
// one. See [report.Document].
func ReadReport(ctx context.Context, j *Job, env Environment) (*Report, error) {
	return report.Read(ctx, j, env)
}

// Program returns the version of the program.
func Program() string { return environment.Program() }
