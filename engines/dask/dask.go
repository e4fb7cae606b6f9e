package dask

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/zmigrate/zmigrate/engines"
	"github.com/zmigrate/zmigrate/python"
)

// Options say which cluster does a campaign, and how.
type Options struct {
	Address  string        // of the scheduler, or the file that it has written its address to
	Python   string        // of the driver; it has the package distributed
	Programs []string      // of the workers' machines: each takes the first one that it has
	Slots    int           // how many parts are done at the same time; 0: one for each thread of the workers
	Retries  int           // how often a part is tried again when it fails
	Patience time.Duration // with a cluster that has no workers
	Progress string        // how to show progress: auto, bar, plain or none
}

// UnfinishedError is the error of a campaign that has ended early although nothing is wrong with
// it, for instance because the scheduler is lost. The same campaign, given again, does what is left.
type UnfinishedError struct{ Text string }

func (e *UnfinishedError) Error() string { return e.Text }

// Campaign is a campaign in the words of the driver.
type Campaign struct {
	Name     string   `json:"name"`
	Plan     string   `json:"plan"`
	Version  string   `json:"version"`
	Programs []string `json:"programs"`
	Work     []string `json:"work"`
	Finish   []string `json:"finish"`
	Parts    []string `json:"parts"`
}

// NewCampaign puts a campaign in the words of the driver.
func NewCampaign(c *engines.Campaign, programs []string) *Campaign {
	return &Campaign{Name: c.Name, Plan: c.Plan, Version: c.Version, Programs: programs, Work: c.Work, Finish: c.Finish, Parts: append([]string{}, c.Parts...)}
}

// request is the first line of the driver's standard input.
type request struct {
	Source   string    `json:"source"` // of the module
	Campaign *Campaign `json:"campaign"`
	Address  string    `json:"address"`
	Connect  float64   `json:"connect"` // how many seconds the scheduler may take to answer
	Patience float64   `json:"patience"`
	Slots    int       `json:"slots"`
	Retries  int       `json:"retries"`
	Progress string    `json:"progress"`
}

// Result says how many parts were done, and how many were begun again because they had failed or
// their worker was lost.
type Result struct {
	Done  int `json:"done"`
	Again int `json:"again"`
}

// ending is the last line of the driver's standard output.
type ending struct {
	Event string `json:"event"`
	Result
	Error  string `json:"error"`
	Status int    `json:"status"`
}

// begin is the program that the driver begins with. It runs the module that is in the request.
const begin = `import json, sys
request = json.loads(sys.stdin.buffer.readline())
try:
    exec(compile(request["source"], "zmigrate/dask.py", "exec"))
except ImportError as e:
    end = {"event": "end", "status": 1, "error": f"{sys.executable}: {e}: install it there with pip install distributed, or name another Python by --python"}
else:
    end = _submitted(request)
print(json.dumps(end), flush=True)
`

const (
	// connectTime bounds the time that a scheduler takes to answer first.
	connectTime = 6 * time.Second
	// stopTime is more than the driver takes to stop.
	stopTime = 30 * time.Second
)

// Work has a cluster do the parts of a campaign. Messages and progress go to stderr. If ctx ends,
// the workers stop, and the error is that of ctx.
func Work(ctx context.Context, c *engines.Campaign, opt Options, stderr io.Writer) (result Result, err error) {
	text, err := json.Marshal(request{
		Source: python.Dask, Campaign: NewCampaign(c, opt.Programs), Address: opt.Address, Connect: connectTime.Seconds(),
		Patience: opt.Patience.Seconds(), Slots: opt.Slots, Retries: opt.Retries, Progress: opt.Progress,
	})
	if err != nil {
		return result, err
	}
	driver := exec.CommandContext(ctx, opt.Python, "-c", begin)
	driver.Stderr = stderr
	in, err := driver.StdinPipe()
	if err != nil {
		return result, err
	}
	driver.Cancel, driver.WaitDelay = in.Close, stopTime
	var out bytes.Buffer
	driver.Stdout = &out
	if err := driver.Start(); err != nil {
		return result, fmt.Errorf("the driver of Dask: %w: name a Python that has the package distributed by --python", err)
	}
	_, unread := in.Write(append(text, '\n')) // a driver that does not read has ended, and says why
	failed := driver.Wait()
	if err := ctx.Err(); err != nil {
		return result, err
	}
	var end ending
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		if json.Unmarshal(lines.Bytes(), &end) == nil && end.Event == "end" {
			return end.Result, end.err()
		}
	}
	if failed == nil {
		failed = errors.Join(errors.New("it has not said how"), unread)
	}
	return result, &UnfinishedError{fmt.Sprintf("the driver of Dask, %s, has ended: %v: give the same command again, and it does what is left", opt.Python, failed)}
}

// err returns the error that the driver tells.
func (e *ending) err() error {
	const again = 3 // the status of what can go on
	switch {
	case e.Error == "":
		return nil
	case e.Status == again:
		return &UnfinishedError{e.Error}
	default:
		return errors.New(e.Error)
	}
}
