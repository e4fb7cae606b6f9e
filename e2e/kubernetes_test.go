package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// manifest is what the tests read of a manifest for Kubernetes.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		CompletionMode           string `yaml:"completionMode"`
		Completions, Parallelism int
		ActiveDeadlineSeconds    int `yaml:"activeDeadlineSeconds"`
		Template                 struct{ Spec podManifest }
	}
}

// podManifest is the specification of a pod.
type podManifest struct {
	Containers []struct {
		Command, Args []string
		Env           []struct {
			Name, Value string
			ValueFrom   *struct {
				FieldRef struct {
					FieldPath string `yaml:"fieldPath"`
				} `yaml:"fieldRef"`
			} `yaml:"valueFrom"`
		}
		EnvFrom []struct {
			SecretRef struct{ Name string } `yaml:"secretRef"`
		} `yaml:"envFrom"`
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
			SubPath   string `yaml:"subPath"`
		} `yaml:"volumeMounts"`
	}
}

// readManifests reads the documents that submit --dry-run prints.
func readManifests(t *testing.T, text string) (list []manifest) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var m manifest
		err := d.Decode(&m)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
}

// substituted does what Kubernetes does with a word of a command and with the value of a variable:
// $(NAME) stands for the value of a variable that is known, and $$ for one dollar sign.
func substituted(word string, known map[string]string) string {
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		switch rest := word[i:]; {
		case strings.HasPrefix(rest, "$$"):
			b.WriteByte('$')
			i++
		case strings.HasPrefix(rest, "$(") && strings.Contains(rest, ")"):
			name := rest[2:strings.Index(rest, ")")]
			value, ok := known[name]
			if !ok {
				value = "$(" + name + ")"
			}
			b.WriteString(value)
			i += len(name) + 2
		default:
			b.WriteByte(word[i])
		}
	}
	return b.String()
}

// command returns the process that the pod with an index starts. secrets are the entries of
// secrets by the secrets' names. The process sees no other variables than those of the pod.
func (p *podManifest) command(ctx context.Context, t *testing.T, index int, secrets map[string]map[string]string) *exec.Cmd {
	t.Helper()
	c := p.Containers[0]
	env := map[string]string{}
	for _, from := range c.EnvFrom {
		maps.Copy(env, secrets[from.SecretRef.Name])
	}
	for _, v := range c.Env {
		env[v.Name] = substituted(v.Value, env)
		if v.ValueFrom != nil {
			if at := v.ValueFrom.FieldRef.FieldPath; at != "metadata.annotations['batch.kubernetes.io/job-completion-index']" {
				t.Fatalf("%s has the value of %s", v.Name, at)
			}
			env[v.Name] = strconv.Itoa(index)
		}
	}
	var words []string
	for _, word := range append(slices.Clone(c.Command), c.Args...) {
		words = append(words, substituted(word, env))
	}
	return isolated(ctx, t, words, env)
}

// isolated returns a process that has only the given variables, and PATH.
func isolated(ctx context.Context, t *testing.T, words []string, env map[string]string) *exec.Cmd {
	cmd := prepare(ctx, t, words[0], words[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// begun returns how many attempts the checkpoint of a target has.
func begun(t *testing.T, target string) int {
	t.Helper()
	list, err := filepath.Glob(target + ".zmigrate/work/*/*/*.begun")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// inRandomOrder does the parts of a saved plan in random order. The process of the first one is
// killed while it works, and its part is done again. Then all parts are submitted once more, and
// none is done again. Last, the plan is finished.
func inRandomOrder(t *testing.T, target string, count int, work func(ctx context.Context, index int) *exec.Cmd, finish *exec.Cmd) {
	t.Helper()
	order := rand.New(rand.NewPCG(5, 22)).Perm(count)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	killed := work(ctx, order[0])
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- killed.Wait() }()
	for begun(t, target) == 0 {
		select {
		case err := <-ended:
			t.Fatalf("the first process ended before it had begun: %v", err)
		default:
			runtime.Gosched()
		}
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Fatal("the first process ended before it was killed")
	}
	for _, i := range append(order, order...) {
		if err := work(ctx, i).Run(); err != nil {
			t.Fatalf("index %d: %v", i, err)
		}
	}
	if n := begun(t, target); n > count+1 {
		t.Errorf("%d attempts for %d parts of which one was killed", n, count)
	}
	if _, err := os.Stat(filepath.Join(target, "zarr.json")); err == nil {
		t.Error("the root has a document before the plan is finished")
	}
	if err := finish.Run(); err != nil {
		t.Fatalf("finish: %v", err)
	}
}

// slowJob writes a source, and a job whose parts take some time each. It returns the paths of job
// and target. The job takes a value from the variable TITLE.
func slowJob(t *testing.T, dir string) (job, target string) {
	t.Helper()
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "data/coads.cdf", data)
	write(t, dir, "shared/codecs.yaml", []byte("arrays: {SST: {chunks: [1, 15, 30], codecs: [{zstd: {level: 19}}]}, AIRT: {chunks: [1, 45, 45]}}\n"))
	return write(t, dir, "jobs/coads.yaml", []byte(`zmigrate: 1
include: ../shared/codecs.yaml
source: {driver: netcdf, url: ../data/coads.cdf}
target: {url: ../data/out.zarr}
attributes: {title: "${TITLE}", note: "${NOTE:-none}"}
`)), filepath.Join(dir, "data", "out.zarr")
}

// TestKubernetesManifests executes what the manifests say, as local processes with the files and
// variables that pods would have. The target is that of a run.
func TestKubernetesManifests(t *testing.T) {
	dir := fast(t)
	job, target := slowJob(t, dir)
	const title = "$(JOB_COMPLETION_INDEX) of a secret"
	t.Setenv("TITLE", title)
	want := undisturbed(t, job, target)
	removeTarget(t, target)
	submit := func(more ...string) string {
		t.Helper()
		out, err := zmigrate(t.Context(), t, append([]string{"submit", job, "--engine", "kubernetes", "--dry-run", "--image", "registry.example/zmigrate:1.0",
			"--bundles", "6", "--slots", "3", "--volume", "data:" + filepath.Join(dir, "data")}, more...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	text := submit("--secret", "titles", "--finish-within", "2s")
	if strings.Contains(text, title) {
		t.Error("the value of a secret is in the manifests")
	}
	if again := submit("--secret", "titles", "--finish-within", "2s"); again != text {
		t.Errorf("submitted again (-first +again):\n%s", cmp.Diff(text, again))
	}
	list := readManifests(t, text)
	if len(list) != 3 || list[0].Kind != "ConfigMap" || list[1].Spec.CompletionMode != "Indexed" || list[1].Spec.Completions != 6 || list[1].Spec.Parallelism != 3 ||
		list[2].Metadata.Name != list[1].Metadata.Name+"-finish" || list[2].Spec.ActiveDeadlineSeconds < 3 {
		t.Fatalf("%+v", list)
	}
	// Pods see the files of the ConfigMap alone.
	for _, folder := range []string{"jobs", "shared"} {
		if err := os.RemoveAll(filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
	}
	files := 0
	for _, m := range list[1].Spec.Template.Spec.Containers[0].VolumeMounts {
		if m.SubPath == "" {
			continue
		}
		inside, err := filepath.Rel(dir, m.MountPath)
		if err != nil || list[0].Data[m.SubPath] == "" {
			t.Fatalf("%+v, error %v", m, err)
		}
		write(t, dir, inside, []byte(list[0].Data[m.SubPath]))
		files++
	}
	if files != 2 || len(list[0].Data) != 2 {
		t.Errorf("%d files are mounted, and the ConfigMap has %d, want 2", files, len(list[0].Data))
	}
	secrets := map[string]map[string]string{"titles": {"TITLE": title}}
	waiting := list[2].Spec.Template.Spec.command(t.Context(), t, 0, secrets)
	var ended *exec.ExitError
	if err := waiting.Run(); !errors.As(err, &ended) || ended.ExitCode() != 3 {
		t.Errorf("finish ended with %v before the parts were done, want status 3", err)
	}
	inRandomOrder(t, target, 6, func(ctx context.Context, i int) *exec.Cmd {
		return list[1].Spec.Template.Spec.command(ctx, t, i, secrets)
	}, list[2].Spec.Template.Spec.command(t.Context(), t, 0, secrets))
	if diff := cmp.Diff(want, tree(t, target)); diff != "" {
		t.Errorf("(-run +pods):\n%s", diff)
	}
	checkNoLeftovers(t, target)
}

// apiServer returns a function that has the code of e2e/kubernetes check a text. It returns what
// that program says.
func apiServer(t *testing.T, arguments ...string) func(text []byte) (string, error) {
	t.Helper()
	server := filepath.Join("..", ".cache", "kubernetes", "manifests")
	if _, err := os.Stat(server); err != nil {
		if os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1" {
			t.Fatalf("no code of Kubernetes: %v; `make interop` builds it", err)
		}
		t.Skipf("needs the code of an API server of Kubernetes: `make interop` builds it (%v)", err)
	}
	return func(text []byte) (string, error) {
		c := exec.CommandContext(t.Context(), server, arguments...)
		c.Stdin = bytes.NewReader(text)
		out, err := c.CombinedOutput()
		return string(out), err
	}
}

// TestInteropKubernetes has the code of an API server check manifests: those that package
// kubernetes makes, and the same with faults.
func TestInteropKubernetes(t *testing.T) {
	check := apiServer(t)
	goldens, err := filepath.Glob("../engines/kubernetes/testdata/*.yaml")
	if err != nil || len(goldens) < 3 {
		t.Fatalf("%d manifests, error %v", len(goldens), err)
	}
	var valid []byte
	for _, file := range goldens {
		if valid, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
		if said, err := check(valid); err != nil {
			t.Errorf("%s: %v\n%s", file, err, said)
		}
	}
	for _, fault := range []struct{ old, new, want string }{
		{"backoffLimitPerIndex:", "backoffLimitperIndex:", `unknown field "spec.backoffLimitperIndex"`},
		{"readOnlyRootFilesystem:", "readOnlyRootFileSystem:", `unknown field "spec.template.spec.containers[0].securityContext.readOnlyRootFileSystem"`},
		{"claimName:", "claim:", `unknown field "spec.template.spec.volumes`},
		{"runAsUser: 1000", "runAsUser: 0", "runAsUser=0"},
		{"runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot != true"},
		{"action: FailJob", "action: FailsJob", `Unsupported value: "FailsJob"`},
		{"restartPolicy: Never", "restartPolicy: OnFailure", "restartPolicy"},
		{"maxFailedIndexes: 5", "maxFailedIndexes: 6", "must be less than or equal to completions"},
		{"containerName: zmigrate", "containerName: other", "containerName"},
		{"job-completion-index']", "job-completion-index", "fieldPath"},
		{"memory: 1025Mi", "memory: 1025 Mi", "quantities must match"},
		{"mountPath: /tmp", "mountPath: /archive", "must be unique"},
		{"kind: Job\nmetadata:\n  name: zm", "kind: Job\nmetadata:\n  name: Zm", "metadata.name"},
	} {
		if !bytes.Contains(valid, []byte(fault.old)) {
			t.Errorf("the manifests have no %q", fault.old)
			continue
		}
		if said, err := check(bytes.Replace(valid, []byte(fault.old), []byte(fault.new), 1)); err == nil || !strings.Contains(said, fault.want) {
			t.Errorf("%s instead of %s: error %v, want %q in:\n%s", fault.new, fault.old, err, fault.want, said)
		}
	}
}

// awsDefinition and awsSubmission are what the tests read of the templates for AWS Batch.
type awsDefinition struct {
	JobDefinitionName   string
	Parameters          map[string]string
	ContainerProperties struct{ Command []string }
}

type awsSubmission struct {
	JobDefinition   string
	ArrayProperties struct{ Size int }
	DependsOn       []struct{ JobID, Type string }
	Parameters      map[string]string
}

// taskCommands are the commands of templates.
type taskCommands struct {
	work, finish []string
	count        int    // of the tasks that do a part
	index        string // the variable with the number of a task
}

// template reads a template of examples/batch.
func template(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "examples", "batch", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestBatchTemplates executes the commands of the templates for AWS Batch and Google Batch, as
// local processes with the variable that has a task's index. The targets are those of a run.
func TestBatchTemplates(t *testing.T) {
	for name, read := range map[string]func(*testing.T) taskCommands{"AWS": awsCommands, "Google": googleCommands} {
		t.Run(name, func(t *testing.T) {
			c := read(t)
			dir := fast(t)
			job, target := slowJob(t, dir)
			t.Setenv("TITLE", "a title")
			want := undisturbed(t, job, target)
			removeTarget(t, target)
			const count = 5
			plan := savePlan(t, job, count).Plan
			// filled returns a command for this job instead of that of the template.
			filled := func(words []string) []string {
				words = slices.Clone(words)
				for i, w := range words {
					if strings.HasSuffix(w, "/coads.yaml") {
						words[i] = job
					}
					if w == "HASH" {
						words[i] = plan
					}
					words[i] = strings.Replace(words[i], fmt.Sprintf("}/%d", c.count), fmt.Sprintf("}/%d", count), 1)
				}
				return words
			}
			inRandomOrder(t, target, count, func(ctx context.Context, i int) *exec.Cmd {
				return isolated(ctx, t, filled(c.work), map[string]string{"TITLE": "a title", c.index: strconv.Itoa(i)})
			}, isolated(t.Context(), t, filled(c.finish), map[string]string{"TITLE": "a title"}))
			if diff := cmp.Diff(want, tree(t, target)); diff != "" {
				t.Errorf("(-run +tasks):\n%s", diff)
			}
			checkNoLeftovers(t, target)
		})
	}
}

// awsCommands reads the templates for AWS Batch. TestInteropBatch compares them with the API.
func awsCommands(t *testing.T) (c taskCommands) {
	t.Helper()
	command := func(step string) ([]string, awsSubmission) {
		var d awsDefinition
		var s awsSubmission
		template(t, "aws-"+step+".json", &d)
		template(t, "aws-submit-"+step+".json", &s)
		if s.JobDefinition != d.JobDefinitionName {
			t.Errorf("a job of %s, want %s", s.JobDefinition, d.JobDefinitionName)
		}
		values := maps.Clone(d.Parameters)
		maps.Copy(values, s.Parameters)
		words := slices.Clone(d.ContainerProperties.Command)
		for i, w := range words {
			if name, ok := strings.CutPrefix(w, "Ref::"); ok {
				words[i] = values[name]
			}
		}
		return words, s
	}
	var array, last awsSubmission
	c.work, array = command("work")
	c.finish, last = command("finish")
	c.count, c.index = array.ArrayProperties.Size, "AWS_BATCH_JOB_ARRAY_INDEX"
	if len(last.DependsOn) != 1 || last.ArrayProperties.Size != 0 {
		t.Errorf("the last job depends on %v", last.DependsOn)
	}
	return c
}

// googleJob is what tasks do of a job of Google Batch.
type googleJob struct {
	TaskGroups []struct {
		TaskCount string
		TaskSpec  struct {
			Runnables []struct {
				Container struct {
					Entrypoint string
					Commands   []string
				}
			}
		}
	}
}

// googleCommands reads the templates for Google Batch. TestInteropGoogleBatch compares them with
// the types of Google's client.
func googleCommands(t *testing.T) (c taskCommands) {
	t.Helper()
	command := func(name string) (words []string, count string) {
		var j googleJob
		template(t, name, &j)
		if len(j.TaskGroups) != 1 || len(j.TaskGroups[0].TaskSpec.Runnables) != 1 {
			t.Fatalf("%s: %+v", name, j)
		}
		run := j.TaskGroups[0].TaskSpec.Runnables[0].Container
		return append([]string{run.Entrypoint}, run.Commands...), j.TaskGroups[0].TaskCount
	}
	var count string
	var err error
	c.work, count = command("google-work.json")
	c.finish, _ = command("google-finish.json")
	c.index = "BATCH_TASK_INDEX"
	if c.count, err = strconv.Atoi(count); err != nil {
		t.Error(err)
	}
	return c
}

// TestInteropGoogleBatch decodes the templates for Google Batch, and the same with a misspelt
// field, as strictly as the types of Google's client allow.
func TestInteropGoogleBatch(t *testing.T) {
	check := apiServer(t, "google-batch")
	for _, name := range []string{"google-work.json", "google-finish.json"} {
		text, err := os.ReadFile(filepath.Join("..", "examples", "batch", name))
		if err != nil {
			t.Fatal(err)
		}
		if said, err := check(text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
		if said, err := check(bytes.Replace(text, []byte(`"taskSpec"`), []byte(`"taskSpecs"`), 1)); err == nil || !strings.Contains(said, "unknown field") {
			t.Errorf("%s with a misspelt field: error %v, and it says:\n%s", name, err, said)
		}
	}
}

// TestInteropBatch compares the templates for AWS Batch with the API as botocore knows it, and the
// same with a misspelt field.
func TestInteropBatch(t *testing.T) {
	p := findPeers(t)
	model := filepath.Join("..", ".cache", "interop", "botocore")
	if _, err := os.Stat(model); err != nil {
		if os.Getenv("ZMIGRATE_REQUIRE_PEERS") == "1" {
			t.Fatalf("no botocore: %v; `make interop` installs it", err)
		}
		t.Skipf("needs botocore: `make interop` installs it (%v)", err)
	}
	model, err := filepath.Abs(model)
	if err != nil {
		t.Fatal(err)
	}
	for name, operation := range map[string]string{
		"aws-work.json": "RegisterJobDefinition", "aws-finish.json": "RegisterJobDefinition", "aws-submit-work.json": "SubmitJob", "aws-submit-finish.json": "SubmitJob",
	} {
		text, err := os.ReadFile(filepath.Join("..", "examples", "batch", name))
		if err != nil {
			t.Fatal(err)
		}
		for want, text := range map[string][]byte{
			"":            text,
			" is unknown": bytes.Replace(text, []byte(`"parameters"`), []byte(`"Parameters"`), 1),
		} {
			file := write(t, t.TempDir(), name, text)
			cmd, stderr := p.command(t, "check_batch.py", model, operation+"="+file)
			said, err := cmd.Output()
			if (err == nil) != (want == "") || !strings.Contains(string(said), want) {
				t.Errorf("%s: error %v, want %q in:\n%s%s", name, err, want, said, stderr)
			}
		}
	}
}
