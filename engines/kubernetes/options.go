package kubernetes

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/engines"
)

// Options say how a campaign runs in a cluster.
type Options struct {
	Image          string        // of the containers
	Namespace      string        // "": that of the user's context
	Parallel       int           // how many parts are done at the same time
	CPUs           string        // of a process, as a quantity such as 2 or 500m
	ServiceAccount string        // "": the namespace's default
	Secrets        []string      // names of secrets, whose entries become environment variables
	Env            []Variable    // environment variables that are no secrets
	Volumes        []Volume      // persistent volumes
	User, Group    int64         // that the processes run as
	Wait           time.Duration // how long the last process waits for the others

	// Set tells whether an environment variable is set on this machine. A variable that is not set
	// has a default in the job file, or the job could not have been read.
	Set func(name string) bool
	// Read returns the content of one of the campaign's files.
	Read func(file string) ([]byte, error)
}

// Variable is an environment variable with its value.
type Variable struct{ Name, Value string }

// Volume is a persistent volume claim and the absolute path at which it is mounted.
type Volume struct{ Claim, Path string }

// ParseVolume reads CLAIM:PATH.
func ParseVolume(text string) (v Volume, err error) {
	v.Claim, v.Path, _ = strings.Cut(text, ":")
	if v.Claim == "" || !path.IsAbs(v.Path) || path.Clean(v.Path) == "/" || strings.Contains(v.Path, ":") {
		return v, fmt.Errorf("%q: want CLAIM:PATH, the name of a persistent volume claim and an absolute path, such as data:/data", text)
	}
	v.Path = path.Clean(v.Path)
	return v, nil
}

// mostParts is how many indexes a Job may have that limits the retries of each index, unless few
// of them run at the same time.
const mostParts = 100_000

// temporary is the folder for temporary files, which a pod loses when it ends.
const temporary = "/tmp"

// secretName matches names of variables whose values are likely secrets.
var secretName = regexp.MustCompile(`(?i)secret|token|passw|credential|private|(^|_)key($|_)|_key$`)

var (
	quantity = regexp.MustCompile(`^([1-9][0-9]*m?|[0-9]+\.[0-9]{1,3})$`)
	label    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	object   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)
)

// Check returns an error for everything that would not work in the cluster. The campaign need not
// have a plan and parts yet.
func (o *Options) Check(c *engines.Campaign) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if o.Image == "" {
		fault("--image: want the image that has zmigrate, such as registry.example/zmigrate:1.0")
	}
	if o.Parallel < 1 {
		fault("--slots %d: want 1 or more", o.Parallel)
	}
	if !quantity.MatchString(o.CPUs) || strings.Trim(o.CPUs, "0.") == "" {
		fault("--cpus %s: want a number of processors, such as 2 or 500m", o.CPUs)
	}
	if o.User < 1 || o.Group < 0 {
		fault("--run-as %d:%d: want USER:GROUP as numbers, and not user 0", o.User, o.Group)
	}
	if o.Wait < time.Second {
		fault("--finish-within %s: want a second or more", o.Wait)
	}
	if c.Count > mostParts {
		fault("the plan has %d bundles, and an Indexed Job may have %d: make them larger by --bundle-bytes", c.Count, mostParts)
	}
	if o.Namespace != "" && (len(o.Namespace) > 63 || !label.MatchString(o.Namespace)) {
		fault("--namespace %s: want lower-case letters, digits and hyphens", o.Namespace)
	}
	names := slices.Concat(o.Secrets, claims(o.Volumes))
	if o.ServiceAccount != "" {
		names = append(names, o.ServiceAccount)
	}
	for _, name := range names {
		if len(name) > 253 || !object.MatchString(name) {
			fault("%q is no name of an object in Kubernetes: want lower-case letters, digits, hyphens and dots", name)
		}
	}
	for _, v := range o.Env {
		if secretName.MatchString(v.Name) {
			fault("--env %s: a value in a manifest is no secret: put it into a secret, and name that by --secret", v.Name)
		}
	}
	for _, name := range c.Variables {
		if len(o.Secrets) == 0 && o.Set(name) && !slices.ContainsFunc(o.Env, func(v Variable) bool { return v.Name == name }) {
			fault("the job takes a value from the environment variable %s: name it by --env %s, or name a secret that has it by --secret", name, name)
		}
	}
	for i, v := range o.Volumes {
		if v.Path == temporary {
			fault("--volume %s:%s: this folder is for temporary files of a pod", v.Claim, v.Path)
		}
		if slices.ContainsFunc(o.Volumes[:i], func(other Volume) bool { return other.Path == v.Path }) {
			fault("--volume %s:%s: another volume is mounted there, too", v.Claim, v.Path)
		}
	}
	for _, p := range c.Folders {
		if !o.mounted(p) {
			fault("%s is in the file system of this machine, which pods do not see: use a bucket, or mount a persistent volume that has it at the same path by --volume CLAIM:%s", p, path.Dir(p))
		}
	}
	return errors.Join(faults...)
}

// claims returns the names of the claims of volumes.
func claims(volumes []Volume) (names []string) {
	for _, v := range volumes {
		if !slices.Contains(names, v.Claim) {
			names = append(names, v.Claim)
		}
	}
	return names
}

// mounted tells whether a path lies in a volume.
func (o *Options) mounted(file string) bool {
	return slices.ContainsFunc(o.Volumes, func(v Volume) bool {
		return file == v.Path || strings.HasPrefix(file, v.Path+"/")
	})
}
