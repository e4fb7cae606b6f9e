package main

// leastAddressSpace is the lowest limit of the address space (ulimit -v) with which
// the program begins. The runtime of Go reserves more than 1 GiB before any Go code
// runs. If it cannot, it exits with 2, which would mean that the job is invalid.
const leastAddressSpace = 7 << 28 // bytes

// noRoom is the message of start if the limit is lower.
var noRoom = "zmigrate: the address space of this process is limited (ulimit -v) to less than 1.75 GiB, which the program needs to begin; raise the limit\n"

// start is the entry of the process, if the program is linked with -E main.start, as in
// the Makefile. It looks at the limit. Then it goes on to the runtime's own entry, or
// exits with 1.
func start()

var _, _ = start, noRoom // only the assembly uses them
