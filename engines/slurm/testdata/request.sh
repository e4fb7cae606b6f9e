#!/bin/sh
# Submits a campaign of zmigrate to Slurm. Change what you like, and run this with sh.
set -e
mkdir -p '/data/my jobs/ocean.slurm'

cat >'/data/my jobs/ocean.slurm/work.sh' <<'END_OF_FILE'
#!/bin/sh
# Does parts of the job "ocean", plan 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.

stopped=
trap 'stopped=yes' TERM INT
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then
	GOMAXPROCS=$SLURM_CPUS_PER_TASK
	export GOMAXPROCS
fi
node=${SLURMD_NODENAME:-$(uname -n)}

# The numbers of the tasks in --array are 0 to tasks-1. Task i does the lines i, i+tasks, i+2*tasks
# and so on of the list below; the first line has the number 0.
tasks=2
mine() {
	line=0
	while read -r part; do
		if [ "$((line % tasks))" -eq "$SLURM_ARRAY_TASK_ID" ]; then
			echo "$part"
		fi
		line=$((line + 1))
	done <<'END'
0-40
40-80
100-120
END
}
parts=$(mine)
echo "task $SLURM_ARRAY_TASK_ID on $node, requeued ${SLURM_RESTART_COUNT:-0} times: units" $parts

/opt/zmigrate work '/data/my jobs/ocean.yaml' --plan 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef --check || {
	status=$?
	echo "$node cannot work on this plan: status $status" >&2
	exit "$status"
}
attempt=1
while :; do
	/opt/zmigrate work '/data/my jobs/ocean.yaml' --plan 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef --stdin --left --end-with "$$" <<END >/dev/null && exit
$parts
END
	status=$?
	case $status in
	2 | 5 | 126 | 127 | 130) exit "$status" ;; # another attempt would end in the same way
	esac
	if [ -n "$stopped" ] || [ "$attempt" -ge 3 ]; then
		exit "$status"
	fi
	attempt=$((attempt + 1))
	echo "status $status: attempt $attempt of 3" >&2
done
END_OF_FILE
work=$(sbatch \
	--cpus-per-task=4 \
	--mem=1536M \
	--requeue \
	--export=ALL \
	--open-mode=append \
	'--output=/data/my jobs/ocean.slurm/work-%A_%a.out' \
	--account=climate \
	--time=2:00:00 \
	--parsable \
	--job-name=zmigrate-ocean-work-0123456789abcdef \
	--array=0-1 \
	'/data/my jobs/ocean.slurm/work.sh')
work=${work%%;*}

cat >'/data/my jobs/ocean.slurm/finish.sh' <<'END_OF_FILE'
#!/bin/sh
# Ends the job "ocean", plan 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef, when all of its parts are done.

stopped=
trap 'stopped=yes' TERM INT
if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then
	GOMAXPROCS=$SLURM_CPUS_PER_TASK
	export GOMAXPROCS
fi
node=${SLURMD_NODENAME:-$(uname -n)}

attempt=1
while :; do
	/opt/zmigrate finish '/data/my jobs/ocean.yaml' --plan 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef --wait 10m && exit
	status=$?
	case $status in
	2 | 5 | 126 | 127 | 130) exit "$status" ;; # another attempt would end in the same way
	esac
	if [ -n "$stopped" ] || [ "$attempt" -ge 3 ]; then
		exit "$status"
	fi
	attempt=$((attempt + 1))
	echo "status $status: attempt $attempt of 3" >&2
done
END_OF_FILE
sbatch \
	--cpus-per-task=4 \
	--mem=1536M \
	--requeue \
	--export=ALL \
	--open-mode=append \
	'--output=/data/my jobs/ocean.slurm/finish-%j.out' \
	--account=climate \
	--time=2:00:00 \
	--parsable \
	--job-name=zmigrate-ocean-finish-0123456789abcdef \
	--dependency=afterok:"$work" \
	--kill-on-invalid-dep=yes \
	'/data/my jobs/ocean.slurm/finish.sh'
