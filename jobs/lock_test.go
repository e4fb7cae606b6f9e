package jobs

import "testing"

// TestCheckpointBesideTheTarget names the place that a checkpoint has anyway, in
// other words: a run does not lock itself out.
func TestCheckpointBesideTheTarget(t *testing.T) {
	dir := t.TempDir()
	for target, checkpoints := range map[string][]string{
		"mem://b/out.zarr": {"mem://b/out.zarr.zmigrate", "mem://b/out.zarr.zmigrate/"},
		"out.zarr":         {"out.zarr.zmigrate", "./x/../out.zarr.zmigrate/", dir + "/out.zarr.zmigrate", "file://" + dir + "/out.zarr.zmigrate/"},
	} {
		for _, at := range checkpoints {
			j := night{0, 2}.job(t, dir, "target: {url: out.zarr,", "run: {checkpoint: {url: '"+at+"'}}\ntarget: {url: '"+target+"',")
			if _, err := execute(t, j, environment(), RunOptions{}); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
}
