package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// page has the tables between these lines.
const (
	page  = "../../docs/many-machines-scale.md"
	begin = "<!-- The tables are made by make simulate. -->\n"
	end   = "<!-- End of the tables. -->\n"
)

// TestTables compares the tables of the page with those that the program prints. With
// ZMIGRATE_UPDATE=1, they are written anew.
func TestTables(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(text), begin)
	has, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the tables", page)
	}
	prices, err := readPrices("../../examples/prices/s3.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := "\n" + tables(measured(), assumed(), prices) + "\n"
	if os.Getenv("ZMIGRATE_UPDATE") != "" {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, has); diff != "" {
		t.Errorf("%s is not what the program says; ZMIGRATE_UPDATE=1 go test ./e2e/simulate writes it anew (-want +got):\n%s", page, diff)
	}
}

// simple returns costs and limits in which only converting takes time: a byte a second.
func simple() (costs, limits) {
	never := math.Inf(1)
	return costs{Rate: 1}, limits{Puts: never, Gets: never, Prefixes: 1, Network: never}
}

// TestSimulate compares simulations with times that are computed by hand.
func TestSimulate(t *testing.T) {
	s := scenario{Workers: 2, Bytes: 60, BundleSize: 10, UnitSize: 5, Seed: 1}
	for name, test := range map[string]struct {
		change     func(*scenario, *costs, *limits)
		wall       float64
		efficiency float64
		lost       map[string]float64
	}{
		"ideal":           {func(*scenario, *costs, *limits) {}, 30, 1, nil},
		"four for six":    {func(s *scenario, _ *costs, _ *limits) { s.Workers = 4 }, 20, 0.75, map[string]float64{toTail: 20}},
		"start once":      {func(_ *scenario, c *costs, _ *limits) { c.Process = 6 }, 42, 60. / 84, map[string]float64{toStart: 12, toFinish: 12}},
		"start each time": {func(s *scenario, _ *costs, l *limits) { s.EachBundle, l.Launch = true, 2 }, 38, 60. / 76, map[string]float64{toStart: 12, toFinish: 4}},
		"slow store":      {func(_ *scenario, c *costs, l *limits) { c.UnitRequests.Put, l.Puts = 1, 0.1 }, 120, 0.25, map[string]float64{toRequests: 170}},
		"slow network":    {func(_ *scenario, _ *costs, l *limits) { l.Ratio, l.Network = 1, 1 }, 60, 0.5, map[string]float64{toNetwork: 60}},
		"finish":          {func(_ *scenario, c *costs, _ *limits) { c.FinishUnit, c.Receipts = 1, 3 }, 60, 0.5, map[string]float64{toFinish: 60}},
		"lists each time": {func(s *scenario, c *costs, l *limits) { s.EachBundle, l.ListPage = true, 1 }, 33, 60. / 66, map[string]float64{toListing: 6}},
		"a page per bundle": {func(s *scenario, c *costs, l *limits) {
			s.Workers, s.EachBundle, l.ListPage, c.BundleObjects = 1, true, 1, 1000
		}, 82, 60. / 82, map[string]float64{toListing: 16, toFinish: 6}},
	} {
		t.Run(name, func(t *testing.T) {
			s := s
			c, l := simple()
			test.change(&s, &c, &l)
			o := simulate(s, c, l)
			if math.Abs(o.Wall-test.wall) > 1e-9 || math.Abs(o.Efficiency-test.efficiency) > 1e-9 || o.Again != 0 || o.Bundles != 6 {
				t.Errorf("%+v, want %g s with efficiency %g", o, test.wall, test.efficiency)
			}
			for _, cause := range causes() {
				want, ok := test.lost[cause]
				if ok && math.Abs(o.Lost[cause]-want) > 1e-9 {
					t.Errorf("%g s are lost to %s, want %g", o.Lost[cause], cause, want)
				}
			}
		})
	}
}

// TestSimulatedLosses: workers that are lost cost time, and their bundles are done again. All
// bundles are done, and the same seed gives the same outcome.
func TestSimulatedLosses(t *testing.T) {
	c, l := measured(), assumed()
	s := usual()
	s.Losses = 0
	calm := simulate(s, c, l)
	if calm.Again != 0 || calm.Lost[toLosses] != 0 {
		t.Errorf("without losses: %+v", calm)
	}
	s.Losses = 0.5
	for s.Seed = range uint64(5) {
		o := simulate(s, c, l)
		// 100 workers for about an hour, of which half are lost in an hour.
		if o.Again < 20 || o.Again > 100 || o.Wall <= calm.Wall {
			t.Errorf("seed %d: %d bundles again, %g s, %g s without losses", s.Seed, o.Again, o.Wall, calm.Wall)
		}
		if diff := cmp.Diff(o, simulate(s, c, l)); diff != "" {
			t.Errorf("the same seed (-first +second):\n%s", diff)
		}
	}
}
