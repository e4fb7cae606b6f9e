// Package local keeps objects in a directory of this machine.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	change_time_linux.go  when a file was last changed in any way
//	change_time_other.go  the same for systems that are not asked
//	writeback_linux.go    what tells the system when to write to the disk
//	writeback_other.go    the same for systems without such calls
//	patience_windows.go   waits until other programs have closed a file
//	patience_other.go     the same for systems that need not wait
//	links.go              links that lead out of the directory
//	open_files.go         files that stay open, and how many
//	driver.go             Driver
//	list.go               the objects of a directory in the order of their keys
//	publish.go            staged objects, made durable and visible
//	staging.go            objects that wait in the staging folder
//	local.go              the other methods of Driver
package local
