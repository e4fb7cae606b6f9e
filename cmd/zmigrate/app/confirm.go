package app

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/zmigrate/zmigrate/internal/words"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/stages"
)

func yesFlag() cli.Flag {
	return &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "overwrite without asking; a run asks only on a terminal"}
}

// errDeclined is the error of a run whose user has declined to overwrite.
var errDeclined = errors.New("not confirmed: nothing was removed")

// confirmation returns the function that asks the user before a target is overwritten. It is
// nil if --yes is set, or if standard input is no terminal. Nobody is asked then, because
// the job file already says overwrite.
func (a *app) confirmation(c *cli.Context) func(jobs.Removal) error {
	if c.Bool("yes") || !term.IsTerminal(int(os.Stdin.Fd())) {
		return nil
	}
	return func(r jobs.Removal) error {
		what := "arrays " + strings.Join(r.Arrays, ", ")
		if len(r.Arrays) == 1 {
			what = "array " + r.Arrays[0]
		}
		_, _ = fmt.Fprintf(a.err, "%s holds %s of this job (%s), to be removed. Overwrite? [y/N] ", r.Target, what, words.Count(r.Objects, "object"))
		answers := make(chan string, 1)
		go func() { // if the user does not answer, this goroutine ends with the program
			answer, _ := bufio.NewReader(os.Stdin).ReadString('\n') // at the end of input, the text before it counts
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
