// Command simulate says how long migrations by many machines take, how much of the workers' time
// is lost and to what. It prints the tables of docs/many-machines-scale.md.
//
//	go run ./e2e/simulate            the tables
//	go run ./e2e/simulate -measure   the costs of single steps on this machine, with real processes,
//	                                 and a small campaign, simulated and real
//
// Nothing here is part of the program.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetOutput(os.Stdout)
	again := flag.Bool("measure", false, "measure the costs of single steps on this machine")
	prices := flag.String("prices", "examples/prices/s3.yaml", "the prices of requests, from a `file`")
	flag.Parse()
	if err := run(*again, *prices); err != nil {
		log.Fatal(err)
	}
}

func run(again bool, prices string) error {
	if again {
		return measure(context.Background())
	}
	p, err := readPrices(prices)
	if err != nil {
		return err
	}
	log.Print(tables(measured(), assumed(), p))
	return nil
}

// measure prints the costs on this machine, and compares a simulation with reality.
func measure(ctx context.Context) error {
	b, remove, err := newBench(ctx)
	if err != nil {
		return err
	}
	defer remove()
	c, err := b.measure()
	if err != nil {
		return err
	}
	log.Printf("%+v", c)
	if !(c.Rate > 0) {
		return errors.New("the rate could not be measured: other processes disturb too much")
	}
	simulated, real, err := b.try(c)
	log.Printf("2 workers, 40 bundles: simulated %.2f s, real %.2f s, %+.0f %%", simulated, real, 100*(simulated/real-1))
	return err
}
