package slurm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/engines"
)

// beginning is what both scripts begin with.
//
// When Slurm cancels a job, or its time is over, it sends SIGTERM to all processes of the job and
// kills them after KillWait seconds. The shell then waits until zmigrate has recorded what is done.
// If the shell ended at once, Slurm would kill zmigrate at once.
const beginning = `
stopped=
trap 'stopped=yes' TERM INT
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then
	GOMAXPROCS=$SLURM_CPUS_PER_TASK
	export GOMAXPROCS
fi
node=${SLURMD_NODENAME:-$(uname -n)}
`

// workScript returns the script of a task that does parts. Task i of n does the parts i, i+n and so
// on. A part that has failed is tried again within the task, because Slurm itself would wait for
// two minutes before it begins a task again.
func workScript(c *engines.Campaign, tasks, attempts int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "#!/bin/sh\n# Does parts of the job %q, plan %s.\n", c.Name, c.Plan)
	s.WriteString(beginning)
	fmt.Fprintf(&s, `
# The numbers of the tasks in --array are 0 to tasks-1. Task i does the lines i, i+tasks, i+2*tasks
# and so on of the list below; the first line has the number 0.
tasks=%d
mine() {
	line=0
	while read -r part; do
		if [ "$((line %% tasks))" -eq "$SLURM_ARRAY_TASK_ID" ]; then
			echo "$part"
		fi
		line=$((line + 1))
	done <<'END'
%s
END
}
parts=$(mine)
echo "task $SLURM_ARRAY_TASK_ID on $node, requeued ${SLURM_RESTART_COUNT:-0} times: units" $parts

%s || {
	status=$?
	echo "$node cannot work on this plan: status $status" >&2
	exit "$status"
}
`, tasks, strings.Join(c.Parts, "\n"), engines.ShellWords(c.Command(c.Work, "--check")))
	// A part may fail while others are done. The next attempt leaves out what is done.
	s.WriteString(attempt(attempts, engines.ShellWords(c.Command(c.Work, "--stdin", "--left"))+` --end-with "$$" <<END >/dev/null && exit
$parts
END`))
	return s.String()
}

// lockTime is how long the last job waits for processes that are alive although their tasks have
// ended, such as those of a node that was lost and requeued elsewhere.
const lockTime = "10m"

// finishScript returns the script of the job that ends the campaign.
func finishScript(c *engines.Campaign, attempts int) string {
	return fmt.Sprintf("#!/bin/sh\n# Ends the job %q, plan %s, when all of its parts are done.\n", c.Name, c.Plan) + beginning + "\n" +
		attempt(attempts, engines.ShellWords(c.Command(c.Finish, "--wait", lockTime))+" && exit")
}

// attempt returns a loop of the shell around a command that ends the script when it has succeeded.
func attempt(attempts int, command string) string {
	return fmt.Sprintf(`attempt=1
while :; do
	%s
	status=$?
	case $status in
	2 | 5 | 126 | 127 | 130) exit "$status" ;; # another attempt would end in the same way
	esac
	if [ -n "$stopped" ] || [ "$attempt" -ge %d ]; then
		exit "$status"
	fi
	attempt=$((attempt + 1))
	echo "status $status: attempt $attempt of %[2]d" >&2
done
`, command, attempts)
}

// hereDocument returns lines of a shell that write a text to a file.
func hereDocument(file, text string) string {
	end := "END_OF_FILE"
	for slices.Contains(lines(text), end) {
		end += "_"
	}
	return fmt.Sprintf("cat >%s <<'%s'\n%s%s\n", engines.ShellWord(file), end, text, end)
}
