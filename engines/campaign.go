package engines

import (
	"slices"
	"strings"
)

// Campaign is work that many processes do part by part. When all parts are done, one more process
// ends the work.
type Campaign struct {
	Name    string // of the job
	Program string // how a worker's machine calls zmigrate: a name on its PATH, or a path
	JobFile string // an absolute path, the same on all machines
	Plan    string // the hash of the saved plan
	Version string // of the program that has saved it

	// Work and Finish are the commands, without the program. With --stdin, Work does the parts
	// that standard input names, one a line, and prints a line of JSON for each of them. With
	// --bundle PART, it does one part.
	Work, Finish []string
	// Parts are the parts in which something is left to do. Count is the number of all parts:
	// their names are 0/Count to (Count-1)/Count. The names in Parts may be other ones, such as
	// 40-80, that mean the same.
	Parts []string
	Count int

	// Files are the absolute paths of the job file and of those that it includes.
	Files []string
	// Folders are the absolute paths at which source, target and checkpoint lie, if they are in the
	// file system of this machine. A path of the source may be a pattern.
	Folders []string

	Memory int64 // the most bytes that one process takes
	// Variables are the names of environment variables that the job takes values from. Each
	// process needs them.
	Variables []string
}

// Command returns one of the campaign's commands with the program in front of it, and with more
// arguments behind.
func (c *Campaign) Command(command []string, more ...string) []string {
	return slices.Concat([]string{c.Program}, command, more)
}

// ShellWords spells the words of a command for a POSIX shell.
func ShellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = ShellWord(w)
	}
	return strings.Join(quoted, " ")
}

// ShellWord spells one word of a command for a POSIX shell. Words of harmless characters stay as
// they are.
func ShellWord(word string) string {
	const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"
	if word != "" && strings.Trim(word, harmless) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
