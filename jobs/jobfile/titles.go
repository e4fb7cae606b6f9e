package jobfile

import (
	"path/filepath"
	"strings"
)

// Title returns what messages call the job: its name or, if it has none of its own and another
// job of the same command has the same, the end of the path of its file.
func (j *Job) Title() string {
	if j.title != "" {
		return j.title
	}
	return j.Name
}

// named reports whether the file gives the job its name.
func (j *Job) named() bool { return j.root.get("name") != nil }

// Titled returns the jobs of a command with titles that tell them apart. Jobs that the file
// gives a name keep it as their title, even if several have the same. The names of jobs, and so
// their checkpoints, do not change.
func Titled(list []*Job) []*Job {
	count := map[string]int{}
	for _, j := range list {
		count[j.Name]++
	}
	made := make([]*Job, len(list))
	for i, j := range list {
		made[i] = j
		if count[j.Name] == 1 || j.named() {
			continue
		}
		titled := *j
		titled.title = titleOf(j, list)
		made[i] = &titled
	}
	return made
}

// titleOf returns as much of the end of a job's path as no other job of the list has: the name
// of its file, or also folders that lead to it.
func titleOf(j *Job, list []*Job) string {
	own := partsOf(j.File)
	for n := 1; n < len(own); n++ {
		title := strings.Join(own[len(own)-n:], "/")
		alone := true
		for _, other := range list {
			parts := partsOf(other.File)
			end := strings.Join(parts[max(0, len(parts)-n):], "/")
			alone = alone && (other == j || end != title && other.Name != title)
		}
		if alone {
			return title
		}
	}
	return strings.Join(own, "/")
}

// partsOf splits the path of a job file.
func partsOf(file string) []string { return strings.Split(filepath.ToSlash(filepath.Clean(file)), "/") }
