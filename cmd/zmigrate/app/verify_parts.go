package app

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/engines"
	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/verify"
)

// verifyLevelFlag is the flag of commands that verify a target in parts.
func verifyLevelFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "verify", DefaultText: "migrate", Usage: usage}
}

// verifiedPart is what work --verify tells of a part.
type verifiedPart struct {
	Objects     int   `json:"objects_read"`
	Bytes       int64 `json:"bytes_read"`
	Differences int   `json:"difference_count"`
}

// partOptions returns the options of a verification in parts.
func partOptions(c *cli.Context) (opt jobs.VerifyOptions, err error) {
	opt.Level = verify.Level(c.String("verify"))
	for _, level := range verify.Levels() {
		if level == opt.Level && level != verify.Quick {
			return opt, nil
		}
	}
	return opt, invalid(fmt.Errorf("--verify %s: want stored, decoded or source", opt.Level))
}

// parsePart reads the name of a part, such as 0/8.
func parsePart(text string) (p verify.Part, err error) {
	number, of, ok := strings.Cut(text, "/")
	n, err1 := strconv.Atoi(number)
	m, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || n < 0 || n >= m || m > verify.MostParts {
		return p, invalid(fmt.Errorf("%s: want I/N with I from 0 to N-1, and N at most %d", text, verify.MostParts))
	}
	return verify.Part{Number: n, Of: m}, nil
}

// workVerify verifies parts of the target of a complete job. Differences are no error: the command
// finish tells them.
func (a *app) workVerify(c *cli.Context, j *jobs.Job, in *lines) error {
	opt, err := partOptions(c)
	switch {
	case err != nil:
		return err
	case c.IsSet("units") || c.IsSet("plan"):
		return invalid(errors.New("work --verify: --units and --plan name units of a plan: want --bundle I/N or --stdin"))
	case c.Bool("check"):
		opt.Gather = 1
		if _, _, err := jobs.VerifyLeft(c.Context, j, a.env, opt); err != nil {
			return err
		}
		host, err := os.Hostname()
		a.ready(j, host, 0)
		return err
	}
	defer forRunning(j)()
	do := func(text string) (out workLine, err error) {
		opt := opt
		if opt.Part, err = parsePart(text); err != nil {
			return out, err
		}
		if c.Bool("left") {
			left := opt
			left.Part, left.Gather = verify.Part{}, opt.Part.Of
			parts, _, err := jobs.VerifyLeft(c.Context, j, a.env, left)
			if err != nil {
				return out, err
			}
			if !slices.Contains(parts, opt.Part) {
				out.verifiedPart = &verifiedPart{}
				return out, nil
			}
		}
		r, err := jobs.Verify(c.Context, j, a.env, opt)
		if err != nil {
			return out, fmt.Errorf("part %s: %w", text, err)
		}
		out.verifiedPart = &verifiedPart{r.Read, r.Bytes, r.Count}
		return out, nil
	}
	if c.Bool("stdin") {
		return a.workLines(j, in, do)
	}
	text, err := withVariables(c.String("bundle"))
	if err != nil {
		return invalid(err)
	}
	out, err := do(text)
	if err != nil {
		return err
	}
	if a.json {
		out.Job, out.Line = j.Title(), text
		a.printJSON(out)
		return nil
	}
	a.printf("%s: part %s is read: %s, %s, %s\n", j.Title(), text, words.Count(out.Objects, "object"), words.Size(out.Bytes), words.Count(out.Differences, "difference"))
	return nil
}

// finishVerify adds up n parts of a verification and prints the result.
func (a *app) finishVerify(c *cli.Context, j *jobs.Job, n int) error {
	opt, err := partOptions(c)
	if err != nil {
		return err
	}
	opt.Gather = n
	if opt.Gather < 1 || opt.Gather > verify.MostParts {
		return invalid(fmt.Errorf("--bundles %d: want 1 to %d", opt.Gather, verify.MostParts))
	}
	err = a.waitFor(c, func() (int, error) {
		parts, _, err := jobs.VerifyLeft(c.Context, j, a.env, opt)
		return len(parts), err
	})
	if err != nil {
		return err
	}
	o := a.identify(j, verifies)
	if err = a.metrics.add(o); err == nil {
		err = a.verify(c, j, opt)
	}
	a.ended(c.Context, o, err)
	return err
}

// verifyCampaignOf returns the campaign that verifies the target of a complete job.
func (a *app) verifyCampaignOf(c *cli.Context, j *jobs.Job) (*engines.Campaign, error) {
	opt, err := partOptions(c)
	if err != nil {
		return nil, err
	}
	s, err := jobs.ReadStatus(c.Context, j, a.env)
	if err != nil {
		return nil, err
	}
	n, err := bundlesOf(c, s.BytesOut)
	if err != nil {
		return nil, err
	}
	opt.Gather = min(n, verify.MostParts)
	parts, name, err := jobs.VerifyLeft(c.Context, j, a.env, opt)
	if err != nil {
		return nil, err
	}
	out, err := newCampaign(c, j, "--verify", string(opt.Level))
	if err != nil {
		return nil, err
	}
	out.Plan, out.Count = name, opt.Gather
	out.Finish = append(out.Finish, "--bundles", strconv.Itoa(opt.Gather))
	for _, p := range parts {
		out.Parts = append(out.Parts, p.String())
	}
	return out, nil
}
