package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// priceList is what the tables need of a file with prices.
type priceList struct {
	Name     string `yaml:"name"`
	Date     string `yaml:"date"`
	Currency string `yaml:"currency"`
	Requests struct {
		Get  float64 `yaml:"get"`
		List float64 `yaml:"list"`
		Put  float64 `yaml:"put"`
	} `yaml:"per_1000_requests"`
}

func readPrices(file string) (p priceList, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(text, &p)
	}
	return p, err
}

// of returns the price of requests.
func (p *priceList) of(r requests) float64 {
	return (p.Requests.Get*r.Get + p.Requests.Put*r.Put + p.Requests.List*r.List) / 1000
}

const (
	mib = 1 << 20
	gib = 1 << 30
	tb  = 1e12
)

// usual is the scenario that the tables change one thing of.
func usual() scenario {
	return scenario{Workers: 100, Bytes: 100 * tb, BundleSize: 4 * gib, UnitSize: 64 * mib, Arrays: 20, Losses: 0.01, Seed: 1}
}

// size is an amount of data with its name.
type size struct {
	name  string
	bytes float64
}

func sizes() []size {
	return []size{{"1 TB", tb}, {"100 TB", 100 * tb}, {"1 PB", 1000 * tb}}
}

// tables returns all tables as Markdown.
func tables(c costs, l limits, p priceList) string {
	var b bytes.Buffer
	for _, each := range []bool{false, true} {
		if each {
			fmt.Fprintf(&b, "### A process for each bundle\n\nArrays of Kubernetes, Slurm and batch services: `work --bundle --left`.\n\n")
		} else {
			fmt.Fprintf(&b, "### A process for many bundles\n\n`work --stdin`, as Dask and shells drive it.\n\n")
		}
		fmt.Fprintf(&b, "| data | workers | bundles | wall time | efficiency | most is lost to | bundles again | worker hours | requests, %s |\n|---|--:|--:|--:|--:|---|--:|--:|--:|\n", p.Currency)
		for _, size := range sizes() {
			for _, workers := range []int{10, 100, 1000} {
				s := usual()
				s.Bytes, s.Workers, s.EachBundle = size.bytes, workers, each
				o := simulate(s, c, l)
				fmt.Fprintf(&b, "| %s | %d | %d | %s | %.0f %% | %s | %d | %s | %s |\n", size.name, workers, o.Bundles, spelled(o.Wall), 100*o.Efficiency, o.most(),
					o.Again, digits(o.Hours), digits(p.of(o.Requests)))
			}
		}
		fmt.Fprintln(&b)
	}
	knees(&b, c, l)
	fmt.Fprintf(&b, "### Sizes of bundles\n\n100 TB by 1000 workers.\n\n| bundle | efficiency, a process for many | most is lost to | efficiency, a process for each | most is lost to |\n|--:|--:|---|--:|---|\n")
	for _, n := range []float64{0.25, 1, 4, 16, 64, 256} {
		var cells []string
		for _, each := range []bool{false, true} {
			s := usual()
			s.Workers, s.BundleSize, s.EachBundle = 1000, n*gib, each
			o := simulate(s, c, l)
			cells = append(cells, fmt.Sprintf("%.0f %% | %s", 100*o.Efficiency, o.most()))
		}
		fmt.Fprintf(&b, "| %g GiB | %s |\n", n, strings.Join(cells, " | "))
	}
	fmt.Fprintf(&b, "\n### Sizes of objects\n\n100 TB by 1000 workers, a process for many bundles. The store has one partition, or ten.\n\n| unit | efficiency, 1 partition | most is lost to | efficiency, 10 partitions | most is lost to | requests, %s |\n|--:|--:|---|--:|---|--:|\n", p.Currency)
	for _, n := range []float64{1, 4, 16, 64} {
		var cells []string
		var o outcome
		for _, prefixes := range []float64{1, 10} {
			s, limits := usual(), l
			s.Workers, s.UnitSize, limits.Prefixes = 1000, n*mib, prefixes
			o = simulate(s, c, limits)
			cells = append(cells, fmt.Sprintf("%.0f %% | %s", 100*o.Efficiency, o.most()))
		}
		fmt.Fprintf(&b, "| %g MiB | %s | %s |\n", n, strings.Join(cells, " | "), digits(p.of(o.Requests)))
	}
	fmt.Fprintf(&b, "\n### Losses of workers\n\n100 TB by 1000 workers, a process for many bundles. A worker that is lost has another one in its place after %s.\n\n| lost in an hour | wall time | efficiency | bundles again |\n|--:|--:|--:|--:|\n", spelled(l.Replace))
	for _, n := range []float64{0, 0.01, 0.1, 0.5} {
		s := usual()
		s.Workers, s.Losses = 1000, n
		o := simulate(s, c, l)
		fmt.Fprintf(&b, "| %.0f %% | %s | %.0f %% | %d of %d |\n", 100*n, spelled(o.Wall), 100*o.Efficiency, o.Again, o.Bundles)
	}
	fmt.Fprintf(&b, "\n### Networks of workers\n\n100 TB by 100 workers, a process for many bundles.\n\n| network | wall time | efficiency | most is lost to |\n|--:|--:|--:|---|\n")
	for _, n := range []float64{0.5, 1, 2.5, 10} {
		limits := l
		limits.Network = n * 1e9 / 8
		o := simulate(usual(), c, limits)
		fmt.Fprintf(&b, "| %g Gbit/s | %s | %.0f %% | %s |\n", n, spelled(o.Wall), 100*o.Efficiency, o.most())
	}
	fmt.Fprintln(&b)
	stepCosts(&b, c, l, p)
	return b.String()
}

// knees writes up to how many workers are worth it.
func knees(b *bytes.Buffer, c costs, l limits) {
	const good = 0.8 // of the efficiency of ten workers
	fmt.Fprintf(b, "### Where the knee is\n\nThe most workers, of 10, 20, 50, 100 …, whose efficiency is at least %.0f %% of that of ten workers, and what is lost with the next number.\n\n", 100*good)
	fmt.Fprintf(b, "| data | a process for | bundle | workers | wall time | with more, most is lost to |\n|---|---|--:|--:|--:|---|\n")
	for _, size := range sizes() {
		for _, each := range []bool{false, true} {
			s := usual()
			s.Bytes, s.EachBundle = size.bytes, each
			for _, s.BundleSize = range []float64{4 * gib, 64 * gib} {
				s.Workers = 10
				first := simulate(s, c, l)
				knee, at, why := first, 10, "–"
				for _, s.Workers = range []int{20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000} {
					o := simulate(s, c, l)
					if o.Efficiency < good*first.Efficiency {
						why = o.most()
						break
					}
					knee, at = o, s.Workers
				}
				what := "many bundles"
				if each {
					what = "each bundle"
				}
				fmt.Fprintf(b, "| %s | %s | %g GiB | %d | %s | %s |\n", size.name, what, s.BundleSize/gib, at, spelled(knee.Wall), why)
			}
		}
	}
	fmt.Fprintln(b)
}

// stepCosts writes what single steps take.
func stepCosts(b *bytes.Buffer, c costs, l limits, p priceList) {
	fmt.Fprintf(b, "### What single steps take\n\n| step | takes | from |\n|---|--:|---|\n")
	const measured, known, chosen = "measured", "stated by Amazon", "assumed"
	for _, row := range [][3]string{
		{"starting the program", short(c.Process), measured},
		{"reading the job and joining the campaign, one array", short(c.Plan), measured},
		{"for each array more", short(c.PlanArray), measured},
		{"the first bundle of a process, more", short(c.First), measured},
		{"a bundle besides its units", short(c.Bundle), measured},
		{"an object of the checkpoint in a list of it", short(c.Object), measured},
		{"lists of the whole checkpoint when a process joins", digits(c.Whole), measured},
		{"finish, for each unit", short(c.FinishUnit), measured},
		{"finish, for each bundle", short(c.Receipts), measured},
		{"finish, for each bundle, in times that it waits for the store", digits(c.FinishWaits), measured},
		{"lists of the whole target by finish", digits(c.FinishLists), measured},
		{"converting, by a worker with one processor", digits(c.Rate/1e6) + " MB/s", measured},
		{"requests of a process that joins: get, put, list", fmt.Sprintf("%.0f, %.0f, %.0f", c.JoinRequests.Get, c.JoinRequests.Put, c.JoinRequests.List), measured},
		{"requests of a bundle", fmt.Sprintf("%.0f, %.0f, %.0f", c.BundleRequests.Get, c.BundleRequests.Put, c.BundleRequests.List), measured},
		{"requests of a unit", fmt.Sprintf("%.0f, %.0f, %.0f", c.UnitRequests.Get, c.UnitRequests.Put, c.UnitRequests.List), measured},
		{"requests of finish for each bundle", fmt.Sprintf("%.0f, %.0f, %.0f", c.FinishRequests.Get, c.FinishRequests.Put, c.FinishRequests.List), measured},
		{"requests per second and partition: writing, reading", fmt.Sprintf("%.0f, %.0f", l.Puts, l.Gets), known},
		{"a request that another one waits for", short(l.Latency), chosen},
		{"a list of 1000 objects", short(l.ListPage), chosen},
		{"network of a worker", digits(l.Network*8/1e9) + " Gbit/s", chosen},
		{"stored bytes for each byte of elements, source and target", digits(l.Ratio), chosen},
		{"starting a pod or a task", short(l.Launch), chosen},
		{"differences between the speeds of workers", fmt.Sprintf("± %.0f %%", 100*l.Spread), chosen},
	} {
		fmt.Fprintf(b, "| %s | %s | %s |\n", row[0], row[1], row[2])
	}
	s := usual()
	fmt.Fprintf(b, "\nUnless a table says otherwise: %g GiB a bundle, %g MiB a unit, %g arrays, %.0f %% of the workers lost in an hour, one partition. Prices: %s, %s.\n", s.BundleSize/gib, s.UnitSize/mib, s.Arrays, 100*s.Losses, p.Name, p.Date)
}

// most returns what the most time of workers is lost to, or that little is lost.
func (o *outcome) most() string {
	const little = 0.95
	if o.Efficiency >= little {
		return "little: the number of workers limits"
	}
	list := slices.Sorted(maps.Keys(o.Lost))
	return slices.MaxFunc(list, func(a, b string) int { return cmp.Compare(o.Lost[a], o.Lost[b]) })
}

// spelled returns a time in the two largest units that people read.
func spelled(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
	case d >= time.Hour:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}

// short returns a short time.
func short(seconds float64) string {
	switch {
	case seconds >= 1:
		return digits(seconds) + " s"
	case seconds >= 1e-3:
		return digits(seconds*1e3) + " ms"
	}
	return digits(seconds*1e6) + " µs"
}

// digits returns a number with at least two digits.
func digits(x float64) string {
	switch {
	case x >= 10 || x == float64(int(x)):
		return fmt.Sprintf("%.0f", x)
	case x >= 1:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2g", x)
}
