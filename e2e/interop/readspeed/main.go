// Readspeed reads an array with the packages of zmigrate, and prints the seconds that it took,
// as JSON.
//
//	readspeed whole ARRAY
//	readspeed boxes ARRAY SHAPE NUMBER
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/zarr"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) (err error) {
	began := time.Now()
	src, err := zarr.Open(ctx, args[1], zarr.Options{Parallel: runtime.GOMAXPROCS(0)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	a, err := src.Array(ctx, src.Arrays()[0])
	if err != nil {
		return err
	}
	if args[0] == "whole" {
		err = whole(ctx, a)
	} else {
		err = boxes(ctx, a, args[2], args[3])
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "[%g]\n", time.Since(began).Seconds())
	return err
}

// whole reads all of an array into one buffer, several parts at the same time.
func whole(ctx context.Context, a sources.Array) error {
	dst := ndarray.New(a.Info().Type, a.Info().Shape)
	return a.ReadRegion(ctx, dst, make([]int, len(a.Info().Shape)))
}

// boxes reads boxes at corners that a generator makes, one for each processor at the same time.
func boxes(ctx context.Context, a sources.Array, size, number string) error {
	var box []int
	for field := range strings.SplitSeq(size, ",") {
		n, err := strconv.Atoi(field)
		if err != nil {
			return err
		}
		box = append(box, n)
	}
	count, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	corners := make([][]int, count)
	state := uint64(1)
	for i := range corners {
		for d, extent := range a.Info().Shape {
			state = state*6364136223846793005 + 1442695040888963407
			corners[i] = append(corners[i], int((state>>33)%uint64(extent-box[d]+1)))
		}
	}
	return sources.InParallelUpTo(ctx, runtime.GOMAXPROCS(0), count, func(ctx context.Context, i int) error {
		return a.ReadRegion(ctx, ndarray.New(a.Info().Type, box), corners[i])
	})
}
