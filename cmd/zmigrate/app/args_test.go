package app

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFlagsMayStandAnywhere(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"zmigrate", "zmigrate"},
		{"zmigrate --json", "zmigrate --json"},
		{"zmigrate run job.yaml --json", "zmigrate run --json job.yaml"},
		{"zmigrate run a b --set x=1 c --dry-run", "zmigrate run --set x=1 --dry-run a b c"},
		{"zmigrate copy SRC DST --codec zstd:level=3 --chunks=1,2", "zmigrate copy --codec zstd:level=3 --chunks=1,2 SRC DST"},
		{"zmigrate --log-level info run job.yaml", "zmigrate --log-level info run job.yaml"},
		{"zmigrate run -- --odd.yaml", "zmigrate run -- --odd.yaml"},
		{"zmigrate copy - DST --set", "zmigrate copy --set - DST"},
		{"zmigrate frob x --json", "zmigrate frob x --json"},
	} {
		t.Run(c.given, func(t *testing.T) {
			root := (&app{}).command()
			root.Setup()
			got := strings.Join(flagsFirst(root, strings.Fields(c.given)), " ")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHelpIsAFlag(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"zmigrate", "zmigrate"},
		{"zmigrate help", "zmigrate --help"},
		{"zmigrate help run", "zmigrate run --help"},
		{"zmigrate run help", "zmigrate run help"},
	} {
		if got := strings.Join(helpAsFlag(strings.Fields(c.given)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.given, got, c.want)
		}
	}
}
