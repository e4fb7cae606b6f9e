package kubernetes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/engines"
)

const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// inBucket is a campaign whose places are behind a network.
func inBucket() *engines.Campaign {
	return &engines.Campaign{
		Name: "COADS monthly", Program: "zmigrate", JobFile: "/home/me/jobs/coads.yaml", Plan: hash,
		Work:   []string{"work", "/home/me/jobs/coads.yaml", "--plan", hash, "--set", "attributes.note=costs $(5) and $$"},
		Finish: []string{"finish", "/home/me/jobs/coads.yaml", "--plan", hash},
		Parts:  []string{"0-10", "20-30"}, Count: 250, Memory: 1<<30 + 1,
		Files: []string{"/home/me/jobs/coads.yaml", "/home/me/shared/zstd.yaml"}, Variables: []string{"BUCKET", "REGION"},
	}
}

// options are options for that campaign.
func options() Options {
	return Options{
		Image: "registry.example/zmigrate:1.0", Parallel: 50, CPUs: "2", User: 65532, Group: 65532, Wait: 24 * time.Hour,
		Secrets: []string{"bucket-keys"}, Set: func(string) bool { return true },
		Read: func(file string) ([]byte, error) {
			return map[string][]byte{
				"/home/me/jobs/coads.yaml":  []byte("zmigrate: 1\ninclude: ../shared/zstd.yaml\nsource: {driver: netcdf, url: 's3://${BUCKET}/coads.nc?region=${REGION}'}\ntarget: {url: 's3://climate/coads.zarr'}\n"),
				"/home/me/shared/zstd.yaml": []byte("defaults:\n  codecs: [bytes, zstd] # yes\n"),
			}[file], nil
		},
	}
}

// TestManifests compares manifests with those in testdata. With ZMIGRATE_UPDATE=1, these are
// written anew. TestInteropKubernetes has the code of an API server check them.
func TestManifests(t *testing.T) {
	inVolume := inBucket()
	inVolume.Count, inVolume.Variables, inVolume.Name, inVolume.Files = 5, []string{"REGION"}, "9 días", inVolume.Files[:1]
	inVolume.Folders = []string{"/archive/in/*.nc", "/archive/out.zarr", "/state"}
	volumes := options()
	volumes.Secrets, volumes.Namespace, volumes.ServiceAccount, volumes.Wait = nil, "climate", "migrations", 90*time.Minute
	volumes.Env = []Variable{{"REGION", "on"}, {"NOTE", "$(REGION): 1:30"}}
	volumes.Volumes = []Volume{{"archive", "/archive"}, {"state", "/state"}}
	volumes.User, volumes.Group = 1000, 100
	everything := volumes
	everything.Volumes = append([]Volume{{"home", "/home/me"}}, volumes.Volumes...)
	for name, test := range map[string]struct {
		campaign *engines.Campaign
		options  Options
	}{
		"bucket": {inBucket(), options()}, "volumes": {inVolume, volumes}, "job_in_volume": {inVolume, everything},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Manifests(test.campaign, test.options)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Manifests(test.campaign, test.options)
			if err != nil || string(again) != string(got) {
				t.Errorf("made again, the manifests differ: %v", err)
			}
			golden := filepath.Join("testdata", name+".yaml")
			if os.Getenv("ZMIGRATE_UPDATE") != "" {
				if err := os.WriteFile(golden, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRefused refuses what would not work in a cluster.
func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*engines.Campaign, *Options){
		"--image: want the image":                                  func(_ *engines.Campaign, o *Options) { o.Image = "" },
		"--slots 0: want 1 or more":                                func(_ *engines.Campaign, o *Options) { o.Parallel = 0 },
		"--cpus 0: want a number":                                  func(_ *engines.Campaign, o *Options) { o.CPUs = "0" },
		"--cpus 0.0: want a number":                                func(_ *engines.Campaign, o *Options) { o.CPUs = "0.0" },
		"--cpus 2 m: want a number":                                func(_ *engines.Campaign, o *Options) { o.CPUs = "2 m" },
		"--run-as 0:65532: want USER:GROUP":                        func(_ *engines.Campaign, o *Options) { o.User = 0 },
		"--finish-within 1ms: want a second":                       func(_ *engines.Campaign, o *Options) { o.Wait = time.Millisecond },
		"--namespace A: want lower-case":                           func(_ *engines.Campaign, o *Options) { o.Namespace = "A" },
		`"a_b" is no name of an object`:                            func(_ *engines.Campaign, o *Options) { o.Secrets = []string{"a_b"} },
		`"" is no name of an object`:                               func(_ *engines.Campaign, o *Options) { o.Secrets = []string{""} },
		"--env AWS_SECRET_ACCESS_KEY: a value in a manifest":       func(_ *engines.Campaign, o *Options) { o.Env = []Variable{{"AWS_SECRET_ACCESS_KEY", "x"}} },
		"--env AZURE_STORAGE_KEY: a value in a manifest":           func(_ *engines.Campaign, o *Options) { o.Env = []Variable{{"AZURE_STORAGE_KEY", "x"}} },
		"the environment variable BUCKET: name it by --env BUCKET": func(_ *engines.Campaign, o *Options) { o.Secrets = nil },
		"the plan has 100001 bundles":                              func(c *engines.Campaign, _ *Options) { c.Count = 100_001 },
		"/data/x.zarr is in the file system": func(c *engines.Campaign, o *Options) {
			c.Folders = []string{"/data/x.zarr"}
			o.Volumes = []Volume{{"d", "/dat"}}
		},
		"at the same path by --volume CLAIM:/data":            func(c *engines.Campaign, _ *Options) { c.Folders = []string{"/data/x.zarr"} },
		"--volume b:/data: another volume is mounted there":   func(_ *engines.Campaign, o *Options) { o.Volumes = []Volume{{"a", "/data"}, {"b", "/data"}} },
		"--volume a:/tmp: this folder is for temporary files": func(_ *engines.Campaign, o *Options) { o.Volumes = []Volume{{"a", "/tmp"}} },
		"torn": func(_ *engines.Campaign, o *Options) {
			o.Read = func(string) ([]byte, error) { return nil, errors.New("torn") }
		},
		"more than 1048576 bytes, which is too much for a ConfigMap": func(_ *engines.Campaign, o *Options) {
			o.Read = func(string) ([]byte, error) { return make([]byte, 1<<19+1), nil }
		},
	} {
		c, o := inBucket(), options()
		change(c, &o)
		if _, err := Manifests(c, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	// A variable that is not set has a default in the job file.
	c, o := inBucket(), options()
	o.Secrets, o.Env, o.Set = nil, []Variable{{"BUCKET", "b"}}, func(name string) bool { return name == "BUCKET" }
	if _, err := Manifests(c, o); err != nil {
		t.Error(err)
	}
}

func TestParseVolume(t *testing.T) {
	got, err := ParseVolume("data:/data/")
	if err != nil || got != (Volume{"data", "/data"}) {
		t.Errorf("%+v, error %v", got, err)
	}
	for _, text := range []string{"", "data", "data:", ":/data", "data:data", "data:/", "data:/a:/b"} {
		if v, err := ParseVolume(text); err == nil {
			t.Errorf("%q is %+v", text, v)
		}
	}
}

func TestObjectName(t *testing.T) {
	for job, want := range map[string]string{
		"coads": "zm-coads-0123456789ab", "": "zm-0123456789ab", "--": "zm-0123456789ab", "Größe.2024": "zm-gr----e-2024-0123456789ab",
		strings.Repeat("x", 29) + " yz": "zm-" + strings.Repeat("x", 29) + "-0123456789ab",
	} {
		if got := objectName(job, hash); got != want || len(got) > 46 {
			t.Errorf("%q: %s, want %s", job, got, want)
		}
	}
}

func TestEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"a": "a", "${X}/3": "${X}/3", "$(X)": "$$(X)", "$$(X)": "$$$$(X)", "$": "$", "a$$": "a$$$", "5$ (x)": "5$ (x)",
	} {
		if got := escaped(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
