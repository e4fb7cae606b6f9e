package app

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/internal/cpu"
)

func TestVersion(t *testing.T) {
	level := "GO" + strings.ToUpper(runtime.GOARCH)
	got := versionOf(&debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "-tags", Value: "nos3,nogcs"},
		{Key: level, Value: "v9"},
		{Key: "vcs.revision", Value: "0123"},
		{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"},
		{Key: "vcs.modified", Value: "true"},
	}})
	want := [][]string{
		{"commit", "0123, with changes"},
		{"date", "2026-01-02T03:04:05Z"},
		{"Go", runtime.Version()},
		{"platform", runtime.GOOS + "/" + runtime.GOARCH + " v9"},
		{"build tags", "nos3, nogcs"},
	}
	if diff := cmp.Diff(want, got.rows()[:5]); diff != "" {
		t.Error(diff)
	}
	if processor := got.rows()[5]; !slices.Equal(processor, []string{"processor", cpu.Used().String()}) {
		t.Errorf("%q", processor)
	}
	if kernels := got.rows()[6]; kernels[0] != "kernels" || !strings.HasPrefix(kernels[1], "adler32 ") || !strings.Contains(kernels[1], ", zstd ") {
		t.Errorf("%q", kernels)
	}
	want = [][]string{{"commit", "unknown"}, {"date", "unknown"}}
	if diff := cmp.Diff(want, versionOf(nil).rows()[:2]); diff != "" {
		t.Error(diff)
	}
}
