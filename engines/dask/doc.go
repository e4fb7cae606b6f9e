// Package dask has a Dask cluster do campaigns. It starts a driver, which is a Python with the
// module zmigrate.dask of this program, and tells it the campaign. The driver gives each part to
// the cluster as a task. A process of zmigrate beside each worker of the cluster does the parts.
//
// Driver and program talk by pipes. The first line of the driver's standard input is a request,
// and its last line of standard output says how the campaign has ended. When standard input ends,
// the driver stops; so it also stops when this process is killed.
package dask
