// Package kubernetes makes the manifests of a campaign for Kubernetes:
//
//	ConfigMap  NAME-job     the job file and the files that it includes
//	Job        NAME         an Indexed Job: one index does one part
//	Job        NAME-finish  one process that waits for the parts and completes the target
//
// NAME follows from the name of the job and the hash of its plan. So a campaign that is applied
// twice is the same objects. Nothing here talks to a cluster.
//
// The files, bottom up. Each uses only files above it in this list:
//
//	names.go      names of objects, and arguments as Kubernetes reads them
//	objects.go    the objects of the API, as far as the manifests need them
//	options.go    what a user says of the cluster, and what is refused
//	manifests.go  the manifests of a campaign
package kubernetes
