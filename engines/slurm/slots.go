package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// slots returns the number of tasks for which the partitions have cores: those that are idle and
// those that are allocated to jobs now. partitions is a list with commas; if it is empty, the default
// partition counts.
func slots(ctx context.Context, partitions string, cores int) (int, error) {
	text, err := output(ctx, "sinfo", "--noheader", "--format=%P|%C")
	if err != nil {
		return 0, fmt.Errorf("how many tasks? %w; --slots says it", err)
	}
	n, err := usableCores(text, partitions)
	return max(1, n/cores), err
}

// usableCores reads lines of sinfo: the name of a partition, and its numbers of cores that are
// allocated, idle, in another state, and all. A star marks the default partition.
func usableCores(text, partitions string) (cores int, err error) {
	wanted := strings.Split(partitions, ",")
	var names []string
	for _, line := range lines(text) {
		name, counts, _ := strings.Cut(strings.TrimSpace(line), "|")
		name, usual := strings.CutSuffix(name, "*")
		names = append(names, name)
		if partitions == "" && !usual || partitions != "" && !slices.Contains(wanted, name) {
			continue
		}
		n := strings.Split(counts, "/")
		if len(n) != 4 {
			return 0, fmt.Errorf("sinfo prints %q: set --slots", line)
		}
		for _, text := range n[:2] {
			x, err := strconv.Atoi(text)
			if err != nil {
				return 0, fmt.Errorf("sinfo prints %q: set --slots", line)
			}
			cores += x
		}
		wanted = slices.DeleteFunc(wanted, func(w string) bool { return w == name || w == "" })
	}
	switch {
	case len(wanted) == 0:
		return cores, nil
	case partitions == "":
		return 0, fmt.Errorf("no default partition: set one of %s, as in --slurm --partition=%s", strings.Join(names, ", "), strings.Join(names[:min(1, len(names))], ""))
	default:
		return 0, fmt.Errorf("no partition %s: Slurm has %s", wanted[0], strings.Join(names, ", "))
	}
}

// mostTasks returns the number of tasks that an array job may have.
func mostTasks(ctx context.Context) (int, error) {
	text, err := output(ctx, "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	return arraySize(text)
}

// arraySize reads the configuration of Slurm. The numbers of tasks are below MaxArraySize.
func arraySize(text string) (int, error) {
	for _, line := range lines(text) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) != "MaxArraySize" {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 {
			return n, nil
		}
		return 0, fmt.Errorf("MaxArraySize = %s in the configuration of Slurm: array jobs need 1 or more", strings.TrimSpace(value))
	}
	return 0, errors.New("scontrol show config prints no MaxArraySize")
}

// partitionOf returns the partitions that options of sbatch name; the last of the options counts.
func partitionOf(options []string) (names string) {
	for _, o := range options {
		if value, ok := strings.CutPrefix(o, "--partition="); ok {
			names = value
		} else if value, ok := strings.CutPrefix(o, "-p"); ok {
			names = value
		}
	}
	return names
}
