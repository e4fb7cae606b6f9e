package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// output calls a command of Slurm and returns what it prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	var out, messages bytes.Buffer
	c.Stdout, c.Stderr = &out, &messages
	// These variables of a user choose jobs and nodes, and the jobs of a campaign may not be
	// among them. Those for sbatch stay.
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "SQUEUE_") || strings.HasPrefix(v, "SINFO_")
	})
	err := c.Run()
	text := strings.TrimSpace(messages.String())
	_, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return out.String(), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s is not on the PATH: call zmigrate on a machine from which jobs are submitted to Slurm, or load the module that has its commands", name)
	case ended && text != "":
		return "", fmt.Errorf("%s: %s (scontrol ping shows whether the controller of Slurm answers)", name, text)
	default:
		return "", fmt.Errorf("%s: %w", name, err)
	}
}

// lines returns the lines of a text that are not empty.
func lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}
