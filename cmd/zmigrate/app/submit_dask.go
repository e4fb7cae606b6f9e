package app

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/engines"
	"github.com/zmigrate/zmigrate/engines/dask"
)

// daskEngine is a Dask cluster that is there.
func daskEngine() engine {
	return engine{
		name: "dask", needs: "address", hint: "dask scheduler prints it when it starts, such as tcp://10.0.0.1:8786",
		flags: []cli.Flag{
			&cli.StringFlag{Name: "address", Usage: "dask: the `ADDRESS` of the scheduler, such as tcp://10.0.0.1:8786, or the file that it has written its address to"},
			&cli.StringFlag{Name: "python", Value: "python3", Usage: "dask: a `PYTHON` of this machine that has the package distributed"},
			&cli.DurationFlag{Name: "worker-wait", Value: 10 * time.Minute, Usage: "dask: while the cluster has no workers, wait for one for this `TIME` at most"},
		},
		prepare: (*app).prepareDask,
	}
}

// prepareDask reads the options for a Dask cluster.
func (a *app) prepareDask(c *cli.Context, _ *engines.Campaign) (func(*engines.Campaign) error, error) {
	opt := dask.Options{
		Address: c.String("address"), Python: c.String("python"), Slots: c.Int("slots"), Retries: c.Int("retries"),
		Patience: c.Duration("worker-wait"), Progress: a.progress,
	}
	return func(campaign *engines.Campaign) error {
		opt.Programs = []string{campaign.Program}
		if !c.IsSet("program") { // a worker's machine may have it elsewhere
			opt.Programs = append(opt.Programs, "zmigrate")
		}
		if c.Bool("dry-run") {
			a.printJSON(struct {
				Event string `json:"event"`
				*dask.Campaign
			}{"campaign", dask.NewCampaign(campaign, opt.Programs)})
			return nil
		}
		return a.submitToDask(c, campaign, opt)
	}, nil
}

// submitToDask has a Dask cluster do the parts of a campaign, and finishes the job.
func (a *app) submitToDask(c *cli.Context, campaign *engines.Campaign, opt dask.Options) error {
	if len(campaign.Parts) > 0 {
		done, err := dask.Work(c.Context, campaign, opt, a.err)
		if err != nil {
			return err
		}
		a.log.Info("all parts are done", "parts", done.Done, "again", done.Again)
	}
	j, err := a.oneJob(c)
	if err != nil {
		return err
	}
	if c.IsSet("verify") {
		return a.finishVerify(c, j, campaign.Count)
	}
	return a.observed(c, j, a.finishBefore(time.Now().Add(time.Minute)))
}
