package plan

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
)

// TestLeftOut plans a file with links that lead to no array, and with attributes that a copy
// cannot have. The file is planned alone and joined with another one.
func TestLeftOut(t *testing.T) {
	data, err := os.ReadFile("../../sources/netcdf/testdata/odd.h5")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range 2 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.h5", i)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	attributes := []string{
		`array "plain": the attribute units`, `group "/": the attribute complex`, `group "/": the attribute latin`,
	}
	for name, test := range map[string]struct {
		source string
		left   []string // how findings begin
		fails  string
	}{
		"a file":      {`url: f0.h5, exclude: [latin, fill]`, append([]string{`"dangling"`, `"group/external"`, `"loop"`, `"through"`}, attributes...), ""},
		"files":       {`url: f*.h5, exclude: [latin, fill], stack: file`, append([]string{`"dangling"`, `"group/external"`, `"loop"`, `"through"`}, attributes...), ""},
		"excluded":    {`url: f0.h5, exclude: [latin, fill, loop, through, "group/*", dangling]`, attributes, ""},
		"by a glob":   {`url: f0.h5, include: [plain, "l[eo]*"]`, append([]string{`"loop"`}, attributes...), ""},
		"by name":     {`url: f0.h5, include: [plain, loop]`, nil, `the link "loop" leads to "/loop"`},
		"by the name": {`url: "f*.h5", stack: file, include: [plain, loop]`, nil, `the link "loop" leads to "/loop"`},
	} {
		t.Run(name, func(t *testing.T) {
			j := jobtest.Parse(t, dir, "zmigrate: 1\nsource: {driver: netcdf, "+test.source+"}\ntarget: {url: mem://out}\n")
			p, err := New(t.Context(), j, jobtest.Environment())
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("error %v, want one with %q", err, test.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, f := range p.Findings {
				what, _, _ := strings.Cut(f.Message, " is ")
				left = append(left, what)
				if !f.Warning || f.Code != "left-out" && f.Code != "not-utf8" {
					t.Error(f)
				}
			}
			slices.Sort(left)
			slices.Sort(test.left)
			if diff := cmp.Diff(test.left, left); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			groups := slices.Sorted(maps.Keys(p.Groups))
			if got := slices.Contains(groups, "group"); got != (name == "a file" || name == "files") {
				t.Errorf("groups %q", groups)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
