package app

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

func yesFlag() cli.Flag {
	return &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "overwrite without asking; nobody is asked where standard input is no terminal"}
}

// errDeclined ends a run whose user does not want it to remove anything.
var errDeclined = errors.New("not confirmed: nothing was removed")

// confirmation returns what asks before a target is overwritten: nil where nobody
// is to be asked, because the command line says so or because nobody is there. The
// job file, which says overwrite, is enough then.
func (a *app) confirmation(c *cli.Context) func(jobs.Removal) error {
	if c.Bool("yes") || !term.IsTerminal(int(os.Stdin.Fd())) {
		return nil
	}
	return func(r jobs.Removal) error {
		what := "arrays " + strings.Join(r.Arrays, ", ")
		if len(r.Arrays) == 1 {
			what = "array " + r.Arrays[0]
		}
		_, _ = fmt.Fprintf(a.err, "%s holds %s of this job (%s), to be removed. Overwrite? [y/N] ", r.Target, what, count(r.Objects, "object"))
		answers := make(chan string, 1)
		go func() { // which lasts as long as the program where nobody answers
			answer, _ := bufio.NewReader(os.Stdin).ReadString('\n') // what was typed before it counts
			answers <- answer
		}()
		select {
		case answer := <-answers:
			if word := strings.ToLower(strings.TrimSpace(answer)); word == "y" || word == "yes" {
				return nil
			}
			return errDeclined
		case <-a.stop:
			return stages.ErrStopped
		}
	}
}
