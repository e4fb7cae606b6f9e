package main

// leastAddressSpace is the least limit of the address space (ulimit -v) with which
// the program begins. The runtime of Go reserves more than 1 GiB before any Go code
// runs, and exits with 2 where it does not get that. 2 means that the job is invalid.
const leastAddressSpace = 7 << 28 // bytes

// noRoom is what start says of less.
var noRoom = "zmigrate: the address space of this process is limited (ulimit -v) to less than 1.75 GiB, which the program needs to begin; raise the limit\n"

// start is where the process begins if the linker is told so (-E main.start, as in
// the Makefile): it looks at the limit and goes on to the runtime's own entry, or
// exits with 1.
func start()

var _, _ = start, noRoom // the assembly alone uses them
