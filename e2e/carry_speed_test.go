package e2e

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestMigrationSpeedCarried carries a Zarr v2 array through into v3, and compares the
// time with `cp -r` of the same files. It measures both in turns, in memory and on the
// disk, and the best times count. A migration is durable and `cp -r` is not, so a
// `sync` is measured, too.
func TestMigrationSpeedCarried(t *testing.T) {
	if os.Getenv("ZMIGRATE_SPEED") != "1" {
		t.Skip("set ZMIGRATE_SPEED=1 to copy 2.5 GiB several times")
	}
	const (
		turns = 4
		least = 0.8
	)
	program := build(t)
	for name, dir := range map[string]string{"memory": fast(t), "disk": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			source, target := filepath.Join(dir, "source.zarr"), filepath.Join(dir, "target.zarr")
			uncompressed(t, source)
			t.Cleanup(func() { remove(t, source, target, target+".zmigrate") })
			best := map[string]float64{}
			for range turns {
				for _, way := range [][]string{
					{program, "copy", "--progress", "none", source, target},
					{"cp", "-r", source, target},
					{"sh", "-c", `cp -r "$0" "$1" && sync -f "$1"`, source, target},
				} {
					remove(t, target, target+".zmigrate")
					spend(t, "sync")
					wall := spend(t, way[0], way[1:]...).wall
					if before, again := best[way[0]]; !again || wall < before {
						best[way[0]] = wall
					}
				}
			}
			ours := best[program]
			t.Logf("%.2f s; %.2f × the speed of cp -r, %.2f × that of cp -r and sync", ours, best["cp"]/ours, best["sh"]/ours)
			peer := "cp"
			if name == "disk" {
				peer = "sh"
			}
			if best[peer] < least*ours {
				t.Errorf("less than %g × the speed of the copy", least)
			}
		})
	}
}

// uncompressed makes a Zarr v2 group with an array of 640 different chunks of 4 MiB.
func uncompressed(t *testing.T, dir string) {
	t.Helper()
	const side = 1024
	write(t, dir, ".zgroup", []byte(`{"zarr_format": 2}`))
	write(t, dir, "a/.zarray", fmt.Appendf(nil,
		`{"zarr_format": 2, "shape": [640, %[1]d, %[1]d], "chunks": [1, %[1]d, %[1]d], "dtype": "<f4", "fill_value": 0, "order": "C", "filters": null, "compressor": null}`, side))
	random := rand.New(rand.NewPCG(1, 2))
	chunk := make([]byte, 0, 4*side*side)
	for range side * side {
		chunk = binary.LittleEndian.AppendUint32(chunk, math.Float32bits(random.Float32()))
	}
	for i := range 640 {
		copy(chunk, bytes.Repeat([]byte{byte(i), byte(i >> 8), 1, 1}, 16))
		write(t, dir, fmt.Sprintf("a/%d.0.0", i), chunk)
	}
}
