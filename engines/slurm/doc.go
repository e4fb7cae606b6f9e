// Package slurm does campaigns by Slurm. A campaign becomes two jobs of Slurm: an array job, whose
// tasks do the parts, and a job that depends on it and ends the campaign.
//
// The package calls sbatch, squeue, sinfo and scontrol, as a user does. It needs no rights beyond
// those of a user, and no database of accounting.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	commands.go  the commands of Slurm: their output, and their errors
//	slots.go     how many tasks a campaign gets
//	script.go    the scripts that the two jobs run
//	request.go   the two jobs, with the options of sbatch; the same as text
//	submit.go    Submit
//	wait.go      Wait
package slurm
