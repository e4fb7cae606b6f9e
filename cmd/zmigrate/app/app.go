// Package app is the command line of zmigrate. Each command has a file of its own.
// Results go to standard output, logs and the progress bar to standard error.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cpu"
	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources/drivers"
)

// Exit statuses, see docs/exit-status.md.
const (
	exitDone        = 0
	exitFailed      = 1
	exitInvalid     = 2
	exitStopped     = 3
	exitDiffers     = 4
	exitLocked      = 5
	exitInterrupted = 130
)

// app is one call of the program.
type app struct {
	out, err            io.Writer
	json                bool
	progress            string
	logLevel, logFormat string
	log                 *slog.Logger
	env                 jobs.Environment
	warned              map[jobs.Problem]bool
	flags               bool // the job stands for a command line, see ofFlags
	// The flags that variables of the environment have set.
	variables map[string]bool
	// How the user has set fields of a job, by the --set that does the same.
	overriding map[string]string
	settings   []string  // the values of --set
	metrics    *exporter // nil: nobody asks for metrics

	signals     chan os.Signal              // what ends the program
	stop        chan struct{}               // closed by the first signal
	migrating   atomic.Bool                 // a run listens to stop
	interrupted atomic.Bool                 // the first signal was Ctrl-C
	seen        atomic.Pointer[observation] // the present run, or the last one; nil: there was no run
}

// Main runs the program and returns its exit status. The first of the arguments is the
// program's name. Main handles SIGINT, SIGTERM and SIGHUP. The first of these signals
// ends a migration in good order, and any other command at once. After the second signal
// Main returns without waiting, and its caller exits. Main also handles SIGPIPE, and
// sets how the process ends when the runtime of Go gives up.
func Main(args []string, stdout, stderr io.Writer) int {
	crashAsSignal()
	withinAddressSpace()
	out := &output{w: stdout}
	a := &app{out: out, err: stderr, signals: make(chan os.Signal, 3), stop: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signal.Notify(a.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(a.signals)
	// Without this a write to a closed pipe would end the process at once.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	if list := askSignals(); len(list) > 0 {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, list...)
		defer close(asked)
		defer signal.Stop(asked)
		go a.answer(asked)
	}
	root := a.command()
	args = helpAsFlag(args)
	if mayShowHelp(root, args) {
		withHelp(root, a.helpColumns())
	}
	root.Setup()
	ended := make(chan error, 1)
	go func() { ended <- guarded(func() error { return root.RunContext(ctx, flagsFirst(root, args)) }) }()
	for stopping := false; ; stopping = true {
		select {
		case err := <-ended:
			return a.conclude(err, out)
		case s := <-a.signals:
			if stopping && s == (inputEnded{}) {
				continue
			}
			if stopping {
				// The journal knows which units are durable. The next run does all others again.
				return exitInterrupted
			}
			a.interrupted.Store(s == os.Interrupt)
			close(a.stop)
			if a.migrating.Load() {
				if s == (inputEnded{}) {
					continue
				}
				_, _ = fmt.Fprintln(a.err, "\nstopping: chunks in flight are finished first; a second signal stops at once")
			} else {
				cancel()
			}
		}
	}
}

func (a *app) command() *cli.App {
	return &cli.App{
		Name:                      "zmigrate",
		Usage:                     "move scientific data to Zarr v3",
		Description:               "zmigrate COMMAND --help lists the options of a command.\n\n" + exitTable,
		Version:                   jobs.Program(),
		Writer:                    a.out,
		ErrWriter:                 a.err,
		ExitErrHandler:            func(*cli.Context, error) {}, // only main exits
		DisableSliceFlagSeparator: true,
		HideHelpCommand:           true,
		Flags:                     globalFlags(),
		Before:                    a.setUp,
		OnUsageError:              usageError,
		CommandNotFound:           nil,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				name := c.Args().First()
				if strings.Contains(name, "/") { // perhaps a URL with a password
					return invalid(errors.New("a path or URL is no command: see zmigrate --help"))
				}
				return invalid(noCommand(c.App, name))
			}
			return cli.ShowAppHelp(c)
		},
		Commands: []*cli.Command{
			a.runCommand(), a.validateCommand(), a.initCommand(), a.planCommand(), a.adviseCommand(), a.verifyCommand(), a.repairCommand(), a.reportCommand(), a.statusCommand(),
			a.workCommand(), a.finishCommand(), a.submitCommand(), a.inspectCommand(), a.copyCommand(), a.codecsCommand(), a.dtypesCommand(), a.schemaCommand(), a.explainCommand(), a.completionCommand(), a.manCommand(), a.versionCommand(), a.completeCommand(),
		},
	}
}

// noCommand is the error of a command that does not exist, with the nearest one.
func noCommand(program *cli.App, name string) error {
	var names []string
	for _, c := range program.VisibleCommands() {
		names = append(names, c.Name)
	}
	hint := "see zmigrate --help"
	if near, found := jobfile.Nearest(name, names); found {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if habit, known := otherCommands[name]; known {
		hint = fmt.Sprintf("did you mean %q?", habit)
	}
	return fmt.Errorf("no command %q (%s)", jobfile.Clip(name, 60), hint)
}

// otherCommands are names that other programs have for what commands of this one do.
var otherCommands = map[string]string{
	"info": "inspect", "list": "inspect", "ls": "inspect", "show": "inspect", "tree": "inspect",
	"check": "verify", "convert": "copy", "cp": "copy", "migrate": "run", "resume": "run", "sync": "copy",
}

// otherFlags are names that other programs have for flags of this one.
// The second word is what the flag takes.
var otherFlags = map[string][2]string{
	"f": {"set", " target.existing=overwrite"}, "force": {"set", " target.existing=overwrite"}, "overwrite": {"set", " target.existing=overwrite"},
	"n": {"dry-run"}, "q": {"progress", " none"}, "quiet": {"progress", " none"}, "v": {"log-level", " info"}, "verbose": {"log-level", " info"},
}

// globalFlags returns the flags that every command takes. They may stand before or
// after its name.
func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print JSON: a line for each event of a run, and one document for other commands"},
		&cli.StringFlag{Name: "log-format", Value: "text", Usage: "`FORMAT` of log lines: text or json"},
		&cli.StringFlag{Name: "log-level", Value: "warn", Usage: "print log lines of this `LEVEL` and above: debug, info, warn or error"},
		&cli.StringFlag{Name: "progress", Value: "auto", Usage: "`HOW` to show progress: auto (a bar on a terminal), bar, plain or none"},
	}
}

// subcommand adds to a command what all commands have in common.
func (a *app) subcommand(c *cli.Command) *cli.Command {
	c.Flags = append(c.Flags, globalFlags()...)
	c.Before = a.setUpCommand
	c.OnUsageError = usageError
	c.HideHelpCommand = true
	return c
}

// usageError is the error of a command line, with the nearest flag for one that is not known.
func usageError(c *cli.Context, err error, _ bool) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if !unknown {
		return invalid(err)
	}
	flags := c.App.Flags
	if c.Command != nil {
		flags = slices.Concat(flags, c.Command.Flags)
	}
	names := []string{"help"}
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	name = strings.TrimLeft(name, "-")
	hint := "--help lists the flags"
	// A flag of the program, such as -v, may be none of the command.
	if near, found := jobfile.Nearest(name, names); found && near != name {
		hint = fmt.Sprintf("did you mean %s?", dashed(near))
	} else if other := otherFlags[name]; slices.Contains(names, other[0]) {
		hint = fmt.Sprintf("did you mean %s%s?", dashed(other[0]), other[1])
	}
	return invalid(fmt.Errorf("no flag %s (%s)", dashed(name), hint))
}

// dashed returns a flag as it is typed.
func dashed(name string) string {
	if utf8.RuneCountInString(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// setUp reads the global flags. It runs for the program and again for the command. If a flag
// is set before and after the name of the command, the flag after the name wins.
func (a *app) setUp(c *cli.Context) error {
	if err := a.fromEnvironment(c); err != nil {
		return err
	}
	a.json = a.json || c.Bool("json")
	if a.progress == "" || c.IsSet("progress") {
		a.progress = c.String("progress")
	}
	switch a.progress {
	case "auto", "bar", "plain", "none":
	default:
		return invalid(fmt.Errorf("%s: want auto, bar, plain or none", a.given("progress", a.progress)))
	}
	for flag, value := range map[string]*string{"log-level": &a.logLevel, "log-format": &a.logFormat} {
		if *value == "" || c.IsSet(flag) {
			*value = c.String(flag)
		}
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
		return invalid(fmt.Errorf("%s: want debug, info, warn or error", a.given("log-level", a.logLevel)))
	}
	options := &slog.HandlerOptions{Level: level}
	switch a.logFormat {
	case "text":
		a.log = slog.New(slog.NewTextHandler(a.err, options))
	case "json":
		a.log = slog.New(slog.NewJSONHandler(a.err, options))
	default:
		return invalid(fmt.Errorf("%s: want text or json", a.given("log-format", a.logFormat)))
	}
	memory := a.env.Memory
	if memory == nil {
		memory = &store.Memory{}
	}
	types := dtype.Standard()
	a.env = jobs.Environment{Codecs: standard.Registry(types), Drivers: drivers.Standard(), Log: a.log, Memory: memory}
	return nil
}

// setUpCommand does for each command what setUp does, and checks the variable of the processor.
func (a *app) setUpCommand(c *cli.Context) error {
	if err := a.setUp(c); err != nil {
		return err
	}
	if err := cpu.Check(); err != nil {
		return invalid(fmt.Errorf("$%s=%s: %w", cpu.Variable, jobfile.Clip(os.Getenv(cpu.Variable), 60), err))
	}
	return nil
}

// invalidError marks an error about the job file or the command line.
type invalidError struct{ error }

func (e invalidError) Unwrap() error { return e.error }

func invalid(err error) error { return invalidError{err} }

// conclude reports how a command ended and returns the exit status. If the results could
// not be printed, a command that has otherwise succeeded fails.
func (a *app) conclude(err error, out *output) int {
	status := a.status(err)
	if err != nil {
		a.report("", err)
	}
	lost := out.close()
	if lost == nil {
		return status
	}
	if err != nil && a.json { // the JSON with the error is lost
		a.json = false
		a.report("", err)
	}
	_, _ = fmt.Fprintf(a.err, "zmigrate: standard output cannot be written: %v\n", lost)
	return max(status, exitFailed)
}

// guarded calls f. It turns a panic, which is a bug of this program, into an error.
func guarded(f func() error) (err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("internal error, please report it: %v\n%s", bug, debug.Stack())
		}
	}()
	return f()
}

// report prints an error for people, or as JSON with --json. job is the name of the job that has
// failed, or "" if the command has no other.
func (a *app) report(job string, err error) {
	status := a.status(err)
	err = a.interruption(err)
	var problems jobs.Problems
	var printed silent
	positioned := errors.As(err, &problems)
	if problems = a.ofFlags(problems); positioned && (a.flags || len(a.overriding) > 0) {
		err = problems
	}
	switch {
	case errors.As(err, &printed):
	case a.json:
		event := map[string]any{"event": "error", "status": status, "error": a.withFlags(err.Error()), "problems": list(problems)}
		var many interface{ All() []string }
		if errors.As(err, &many) {
			event["all"] = many.All()
		}
		if o := a.seen.Load(); o != nil {
			event["run"] = o.id
		}
		if job != "" {
			event["job"] = job
		}
		a.printJSON(event)
	case positioned:
		for line := range strings.SplitSeq(err.Error(), "\n") {
			_, _ = fmt.Fprintln(a.err, line)
		}
	default:
		text := a.withFlags(err.Error())
		if job != "" && !strings.HasPrefix(text, job+": ") {
			text = job + ": " + text
		}
		_, _ = fmt.Fprintln(a.err, "zmigrate: "+text)
	}
}
