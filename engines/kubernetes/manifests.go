package kubernetes

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/zmigrate/zmigrate/engines"
)

// indexVariable has the index of a pod. Its value comes from an annotation, which Kubernetes sets.
const (
	indexVariable   = "JOB_COMPLETION_INDEX"
	indexAnnotation = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
)

// Bounds of failures.
const (
	triesOfPart  = 3             // again, for each part
	mostFailed   = 10            // parts that have failed for good; with more of them, the Job ends
	triesFinish  = 6             // again, with 10, 20, 40 … seconds between
	finishTime   = 6 * time.Hour // that completing the target may take, after the wait
	mostData     = 1 << 20       // bytes of a ConfigMap
	temporaries  = "64Mi"        // for files such as the socket of a live view
	statusBad    = 2             // exit status: the job or the command line is invalid
	statusLocked = 5             // exit status: another process holds the lock
)

// Names of parts of a pod.
const (
	container  = "zmigrate"
	jobVolume  = "job"
	tempVolume = "tmp"
)

// Manifests returns the manifests of a campaign as YAML documents. The same campaign and options
// give the same bytes.
func Manifests(c *engines.Campaign, o Options) ([]byte, error) {
	if err := o.Check(c); err != nil {
		return nil, err
	}
	name := objectName(c.Name, c.Plan)
	labels := map[string]string{"app.kubernetes.io/name": "zmigrate", "app.kubernetes.io/instance": name}
	of := func(suffix string) metadata {
		return metadata{Name: name + suffix, Namespace: o.Namespace, Labels: labels}
	}
	files, err := o.files(c)
	if err != nil {
		return nil, err
	}
	var documents []any
	if len(files) > 0 {
		data := map[string]string{}
		for i, f := range files {
			data[key(i, f.path)] = f.text
		}
		documents = append(documents, configMap{"v1", "ConfigMap", of("-job"), data})
	}
	work := jobSpec{
		CompletionMode: "Indexed", Completions: new(c.Count), Parallelism: new(min(o.Parallel, c.Count)),
		BackoffLimitPerIndex: new(triesOfPart), MaxFailedIndexes: new(min(mostFailed, c.Count)),
		PodFailurePolicy: failures(failureRule{Action: "Ignore", OnExitCodes: &onExitCodes{container, "In", []int{statusLocked}}}),
		Template: podTemplate{metadata{Labels: labels}, o.pod(c, name, files,
			append(slices.Clone(c.Work), "--bundle", "${"+indexVariable+"}/"+strconv.Itoa(c.Count), "--left"),
			envVariable{Name: indexVariable, ValueFrom: &valueFrom{fieldRef{indexAnnotation}}})},
	}
	finish := jobSpec{
		BackoffLimit:          new(triesFinish),
		ActiveDeadlineSeconds: new(int64((o.Wait + finishTime).Seconds())),
		PodFailurePolicy:      failures(),
		Template:              podTemplate{metadata{Labels: labels}, o.pod(c, name, files, append(slices.Clone(c.Finish), "--wait", o.Wait.String()))},
	}
	documents = append(documents, job{"batch/v1", "Job", of(""), work}, job{"batch/v1", "Job", of("-finish"), finish})
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	for _, d := range documents {
		if err := e.Encode(d); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), e.Close()
}

// file is a file of the campaign that the ConfigMap brings to the pods.
type file struct{ path, text string }

// key returns the key of a file in the ConfigMap. Files of one name may lie in several folders.
func key(number int, file string) string {
	if number == 0 {
		return "job" + path.Ext(file)
	}
	return "included-" + strconv.Itoa(number) + path.Ext(file)
}

// files reads those of the campaign's files that do not lie in a volume.
func (o *Options) files(c *engines.Campaign) (files []file, err error) {
	size := 0
	for _, name := range c.Files {
		if o.mounted(name) {
			continue
		}
		text, err := o.Read(name)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > mostData {
			return nil, fmt.Errorf("the job file and what it includes have more than %d bytes, which is too much for a ConfigMap: put them into a volume, and mount it at the same path by --volume", mostData)
		}
		files = append(files, file{name, string(text)})
	}
	return files, nil
}

// failures returns the policy for pods that fail: an invalid job or command line ends the Job at
// once, and a pod whose node goes away does not count.
func failures(more ...failureRule) podFailurePolicy {
	return podFailurePolicy{append([]failureRule{
		{Action: "FailJob", OnExitCodes: &onExitCodes{container, "In", []int{statusBad}}},
		{Action: "Ignore", OnPodConditions: []podCondition{{"DisruptionTarget", "True"}}},
	}, more...)}
}

// pod returns a pod that calls the program with the given arguments. Files of the job are at the
// same absolute paths as on this machine, so that relative paths in them mean the same.
func (o *Options) pod(c *engines.Campaign, name string, files []file, command []string, variables ...envVariable) podSpec {
	for i, word := range command {
		command[i] = escaped(word)
	}
	env := map[string]string{}
	for _, v := range o.Env {
		env[v.Name] = escaped(v.Value)
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		variables = append(variables, envVariable{Name: name, Value: env[name]})
	}
	var from []envSource
	for _, secret := range o.Secrets {
		from = append(from, envSource{reference{secret}})
	}
	mounts := []volumeMount{{Name: tempVolume, MountPath: temporary}}
	volumes := []podVolume{{Name: tempVolume, EmptyDir: &emptyDir{temporaries}}}
	if len(files) > 0 {
		volumes = append(volumes, podVolume{Name: jobVolume, ConfigMap: &reference{name + "-job"}})
	}
	for i, f := range files {
		mounts = append(mounts, volumeMount{Name: jobVolume, MountPath: f.path, SubPath: key(i, f.path), ReadOnly: true})
	}
	names := claims(o.Volumes)
	for i, n := range names {
		volumes = append(volumes, podVolume{Name: "volume-" + strconv.Itoa(i), Claim: &claim{n}})
	}
	for _, v := range o.Volumes {
		mounts = append(mounts, volumeMount{Name: "volume-" + strconv.Itoa(slices.Index(names, v.Claim)), MountPath: v.Path})
	}
	security := podSecurity{RunAsNonRoot: true, RunAsUser: o.User, RunAsGroup: o.Group, SeccompProfile: seccompProfile{"RuntimeDefault"}}
	if len(o.Volumes) > 0 {
		security.FSGroup, security.FSGroupChangePolicy = &o.Group, "OnRootMismatch"
	}
	const mib = 1 << 20
	needs := quantities{o.CPUs, strconv.FormatInt((c.Memory+mib-1)/mib, 10) + "Mi"}
	return podSpec{
		RestartPolicy: "Never", ServiceAccountName: o.ServiceAccount, SecurityContext: security,
		Containers: []podContainer{{
			Name: container, Image: o.Image, Command: []string{escaped(c.Program)}, Args: command,
			Env: variables, EnvFrom: from, Resources: podResources{needs, needs},
			SecurityContext:          containerSecurity{ReadOnlyRootFilesystem: true, Capabilities: capabilities{[]string{"ALL"}}},
			TerminationMessagePolicy: "FallbackToLogsOnError", VolumeMounts: mounts,
		}},
		Volumes: volumes,
	}
}
