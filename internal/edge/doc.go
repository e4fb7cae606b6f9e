// Package edge has memory for tests of kernels: on Linux, a kernel that reads behind the end of its content crashes.
package edge
