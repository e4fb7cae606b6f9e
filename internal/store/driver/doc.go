// Package driver is the contract between a Store and a kind of place. A [Driver] reads and
// writes the objects of one place, and nothing else: keys are checked, requests are counted,
// paced and repeated by the Store. What only some places can do is a small second interface.
// Errors tell whether the same request may succeed a little later, see [Transient].
//
// The files, bottom up. Each uses only files above it in this list:
//
//	condition.go       what has to hold for a put to take effect
//	object_errors.go   errors about objects
//	request_errors.go  errors of requests, and which of them are transient
//	object_info.go     Info
//	abilities.go       what some drivers can do besides
//	driver.go          Driver
//	guard.go           Guard: who may change objects
//	read_only.go       places to which nothing is written
package driver
