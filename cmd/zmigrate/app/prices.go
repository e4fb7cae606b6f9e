package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/jobs/preview"
)

func pricesFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "prices", Usage: "compute what the migration costs, by the prices in a `FILE` such as examples/prices/s3.yaml; may be repeated, for two clouds"}
}

// priceList has the prices of the stores of one kind.
type priceList struct {
	Name     string `yaml:"name"`
	Date     string `yaml:"date"`   // of the prices
	Source   string `yaml:"source"` // where the prices are from
	Scheme   string `yaml:"scheme"` // of the URLs of the stores: s3, gs or azblob
	Currency string `yaml:"currency"`
	Requests struct {
		Get  float64 `yaml:"get"`
		Head float64 `yaml:"head"`
		List float64 `yaml:"list"`
		Put  float64 `yaml:"put"`
	} `yaml:"per_1000_requests"`
	Storage float64 `yaml:"storage_per_gib_month"`
	Egress  float64 `yaml:"egress_per_gib"` // of bytes that leave the cloud
}

// readPrices reads the files of --prices.
func readPrices(c *cli.Context) (lists []priceList, err error) {
	for _, file := range c.StringSlice("prices") {
		p, err := readPriceList(file)
		if err != nil {
			return nil, invalid(fmt.Errorf("--prices %s: %w", file, err))
		}
		for _, other := range lists {
			switch {
			case other.Scheme == p.Scheme:
				return nil, invalid(fmt.Errorf("--prices %s: another file has prices for %s, too", file, p.Scheme))
			case other.Currency != p.Currency:
				return nil, invalid(fmt.Errorf("--prices %s: the prices are in %s, and those of another file in %s", file, p.Currency, other.Currency))
			}
		}
		lists = append(lists, p)
	}
	return lists, nil
}

func readPriceList(file string) (p priceList, err error) {
	f, err := os.Open(file)
	if err != nil {
		return p, err
	}
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err = errors.Join(err, f.Close()); err != nil {
		return p, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&p); err != nil {
		if wrong, ok := errors.AsType[*yaml.TypeError](err); ok && len(wrong.Errors) > 0 {
			message, _, _ := strings.Cut(wrong.Errors[0], " in type") // of Go
			err = errors.New(message)
		}
		return p, err
	}
	if schemes := []string{"s3", "gs", "azblob"}; !slices.Contains(schemes, p.Scheme) {
		return p, fmt.Errorf("scheme %q: want one of %s, as in the URLs of the stores", p.Scheme, strings.Join(schemes, ", "))
	}
	if p.Currency == "" || p.Date == "" {
		return p, errors.New("want a currency and the date of the prices")
	}
	for _, price := range []float64{p.Requests.Get, p.Requests.Head, p.Requests.List, p.Requests.Put, p.Storage, p.Egress} {
		if !(price >= 0) || math.IsInf(price, 1) {
			return p, fmt.Errorf("%v is no price", price)
		}
	}
	return p, nil
}

// cost is what a migration costs.
type cost struct {
	Currency string `json:"currency"`
	// Requests is about what the requests cost, without retries.
	Requests float64 `json:"requests"`
	// Egress is what the bytes cost that leave the cloud of the source. It is 0 if the program runs in
	// that cloud and region.
	Egress float64 `json:"egress_at_most"`
	// Storage is what the target costs each month.
	Storage float64 `json:"storage_per_month_at_most"`
	// By names the lists of prices. Unpriced names the sides for which no list has prices.
	By       []string `json:"prices"`
	Unpriced []string `json:"without_prices,omitempty"`
}

// price returns what a plan costs by lists of prices, at least one. Places on this machine cost
// nothing.
func price(j *jobs.Job, f preview.Figures, lists []priceList) cost {
	const gib = 1 << 30
	c := cost{Currency: lists[0].Currency, By: []string{}}
	of := func(side string, urls []string) (p priceList, ok bool) {
		at := slices.IndexFunc(urls, store.Far)
		if at < 0 {
			return p, false
		}
		scheme, _, _ := strings.Cut(urls[at], "://")
		i := slices.IndexFunc(lists, func(p priceList) bool { return p.Scheme == scheme })
		if i < 0 {
			c.Unpriced = append(c.Unpriced, fmt.Sprintf("%s (%s)", side, scheme))
			return p, false
		}
		if name := fmt.Sprintf("%s, %s", cmp.Or(lists[i].Name, scheme), lists[i].Date); !slices.Contains(c.By, name) {
			c.By = append(c.By, name)
		}
		return lists[i], true
	}
	requests := func(p priceList, n preview.RequestKinds) float64 {
		return (p.Requests.Get*float64(n.Get) + p.Requests.Head*float64(n.Head) + p.Requests.List*float64(n.List) + p.Requests.Put*float64(n.Put)) / 1000
	}
	var sources []string
	for _, l := range j.Source.AllLocations() {
		sources = append(sources, l.URL)
	}
	if p, ok := of("source", sources); ok {
		c.Requests += requests(p, f.Source)
		c.Egress = p.Egress * float64(f.BytesRead) * f.ReadAmplification / gib
	}
	if p, ok := of("target", []string{j.Target.URL}); ok {
		c.Requests += requests(p, f.Target)
		c.Storage = p.Storage * float64(f.BytesAtMost) / gib
	}
	return c
}

// text returns the cost for people.
func (c cost) text() string {
	money := func(bound string, amount float64) string {
		if amount > 0 && amount < 0.01 {
			return "less than 0.01 " + c.Currency
		}
		return fmt.Sprintf("%s %.2f %s", bound, amount, c.Currency)
	}
	var parts []string
	if len(c.By) > 0 {
		parts = append(parts, "requests "+money("about", c.Requests))
	}
	if c.Egress > 0 {
		parts = append(parts, "egress "+money("at most", c.Egress)+" if the program runs outside of the source's cloud")
	}
	if c.Storage > 0 {
		parts = append(parts, "storage "+money("at most", c.Storage)+" a month")
	}
	if len(parts) == 0 && len(c.Unpriced) == 0 {
		return "nothing: source and target are on this machine"
	}
	text := strings.Join(parts, "; ")
	if len(c.By) > 0 {
		text += fmt.Sprintf(" (list prices: %s; check them)", strings.Join(c.By, "; "))
	}
	if len(c.Unpriced) > 0 {
		text = strings.TrimPrefix(text+"; no prices for "+strings.Join(c.Unpriced, " and "), "; ")
	}
	return text
}
