package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/zmigrate/zmigrate/engines"
	"github.com/zmigrate/zmigrate/engines/kubernetes"
)

// kubernetesEngine is a cluster of Kubernetes.
func kubernetesEngine() engine {
	return engine{name: "kubernetes", needs: "image", hint: "the image that has zmigrate, such as registry.example/zmigrate:1.0", prepare: prepareKubernetes, flags: []cli.Flag{
		&cli.StringFlag{Name: "image", Usage: "kubernetes: the `IMAGE` that has zmigrate, of this version"},
		&cli.StringFlag{Name: "cpus", Value: "1", Usage: "kubernetes: the `NUMBER` of processors of a process, such as 2 or 500m"},
		&cli.StringFlag{Name: "namespace", DefaultText: "that of kubectl", Usage: "kubernetes: the `NAME` of the namespace"},
		&cli.StringFlag{Name: "service-account", DefaultText: "that of the namespace", Usage: "kubernetes: the `NAME` of the service account of the pods"},
		&cli.StringSliceFlag{Name: "secret", Usage: "kubernetes: the `NAME` of a secret whose entries become environment variables; may be repeated"},
		&cli.StringSliceFlag{Name: "env", Usage: "kubernetes: the `NAME` of an environment variable whose value the pods get, too; it is in the manifest, so it must be no secret; may be repeated"},
		&cli.StringSliceFlag{Name: "volume", Usage: "kubernetes: mount a persistent volume, `CLAIM:PATH`; PATH is absolute and the same as on this machine; may be repeated"},
		&cli.StringFlag{Name: "run-as", Value: "65532:65532", Usage: "kubernetes: the numbers `USER:GROUP` that the processes run as"},
		&cli.DurationFlag{Name: "finish-within", Value: 24 * time.Hour, Usage: "kubernetes: the process that completes the target waits for this `TIME` at most until all bundles are done"},
	}}
}

// prepareKubernetes reads the options for a cluster of Kubernetes.
func prepareKubernetes(a *app, c *cli.Context, campaign *engines.Campaign) (func(*engines.Campaign) error, error) {
	user, group, ok := strings.Cut(c.String("run-as"), ":")
	o := kubernetes.Options{
		Image: c.String("image"), Namespace: c.String("namespace"), Parallel: cmp.Or(c.Int("slots"), 10), CPUs: c.String("cpus"),
		ServiceAccount: c.String("service-account"), Secrets: c.StringSlice("secret"), Wait: c.Duration("finish-within"),
		Set:  func(name string) bool { return os.Getenv(name) != "" },
		Read: os.ReadFile,
	}
	var err1, err2 error
	o.User, err1 = strconv.ParseInt(user, 10, 32)
	o.Group, err2 = strconv.ParseInt(group, 10, 32)
	if !ok || err1 != nil || err2 != nil {
		return nil, invalid(fmt.Errorf("--run-as %s: want USER:GROUP as numbers, such as 1000:1000", c.String("run-as")))
	}
	for _, name := range c.StringSlice("env") {
		value, ok := os.LookupEnv(name)
		if !ok {
			return nil, invalid(fmt.Errorf("--env %s: the environment variable is not set here", name))
		}
		o.Env = append(o.Env, kubernetes.Variable{Name: name, Value: value})
	}
	for _, text := range c.StringSlice("volume") {
		v, err := kubernetes.ParseVolume(text)
		if err != nil {
			return nil, invalid(fmt.Errorf("--volume %w", err))
		}
		o.Volumes = append(o.Volumes, v)
	}
	if err := o.Check(campaign); err != nil {
		return nil, invalid(err)
	}
	return func(campaign *engines.Campaign) error { return submitKubernetes(a, c, campaign, o) }, nil
}

// submitKubernetes applies the manifests of a campaign by kubectl, or prints them.
func submitKubernetes(a *app, c *cli.Context, campaign *engines.Campaign, o kubernetes.Options) error {
	if !c.IsSet("program") {
		campaign.Program = "zmigrate" // on the PATH of the image
	}
	text, err := kubernetes.Manifests(campaign, o)
	if err != nil {
		return invalid(err)
	}
	if c.Bool("dry-run") {
		a.printf("%s", text)
		return nil
	}
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		return errors.New("kubectl is not on the PATH: print the manifests by --dry-run, and apply them where it is")
	}
	apply := exec.CommandContext(c.Context, kubectl, "apply", "-f", "-")
	apply.Stdin, apply.Stdout, apply.Stderr = bytes.NewReader(text), a.out, a.err
	if err := apply.Run(); err != nil {
		return fmt.Errorf("kubectl apply: %w; the plan is saved: the same command tries again", err)
	}
	return nil
}
