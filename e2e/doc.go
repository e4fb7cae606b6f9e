// Package e2e tests the program from outside. It holds nothing but tests:
//
//	script_test.go          the command line, by the scripts in testdata/script
//	same_bytes_test.go      workers, budget and interruptions change no byte of the target
//	changed_test.go         resuming is refused if the job or the source has changed
//	fault_test.go           a run that fails at a durable operation, and is run again: some of the
//	                        operations, all with ZMIGRATE_HEAVY=1
//	fault_s3_test.go        the same in a bucket
//	faults_test.go          a network that breaks and a server that is busy; in real time
//	                        with ZMIGRATE_HEAVY=1
//	throughput_test.go      opening many arrays, and whole runs (ZMIGRATE_SPEED=1), with a server
//	                        that answers after 20 ms
//	kill_test.go            the program killed at random moments; SIGINT, SIGTERM
//	stopped_references_test.go  SIGTERM while a table of references is written
//	choose_test.go          parts of dimensions: runs that break, and what a server is asked for
//	signal_test.go          the second signal ends the program at once
//	s3_test.go              a target, and a source, in an S3 server within the test
//	disk_full_test.go       a target on a file system that is too small
//	memory_test.go          peak resident size against run.memory (ZMIGRATE_HEAVY=1)
//	many_arrays_test.go     memory and time of 50,000 arrays (ZMIGRATE_HEAVY=1)
//	bench_test.go           throughput as ratios to cp and to the zstd library
//	kubernetes_test.go      what manifests for Kubernetes and templates for batch services say, executed
//	layering_test.go        which room may import which
//	layering_files_test.go  which file may use which within a package
//	interop_test.go         other programs read what zmigrate wrote
//	interop_types_test.go   every data type
//	interop_codecs_test.go  every codec
//	former_names_test.go    targets in which an earlier version gave codecs other names
//	v2_interop_test.go      copies of Zarr v2 arrays with Blosc, read by other programs
//	copy_interop_test.go    hierarchies of other programs, copied in three ways, read by their writers
//	migrate_speed_test.go   whole migrations beside tensorstore's and zarrs' (ZMIGRATE_SPEED=1)
//	blosc_interop_test.go   c-blosc decodes our buffers; its speed beside ours
//
// A test that needs a peer, a privilege or much memory says so when it skips.
package e2e
