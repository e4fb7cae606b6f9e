package run

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
	"github.com/zmigrate/zmigrate/sources"
)

// TestSourceThatIsChangedAndPutBack has a server that sends bytes of another file for a
// while. Before the run ends, the server sends the first file again.
func TestSourceThatIsChangedAndPutBack(t *testing.T) {
	const rows, columns = 64, 1 << 16
	file := func(value float32) []byte {
		bits := binary.LittleEndian.AppendUint32(nil, math.Float32bits(value))
		return bytes.Repeat(bits, rows*columns)
	}
	for name, mark := range map[string]func(header http.Header, other bool){
		"ETag": func(header http.Header, other bool) { header.Set("ETag", fmt.Sprintf(`"%t"`, other)) },
		"time": func(http.Header, bool) {},
	} {
		t.Run(name, func(t *testing.T) {
			var bodies, until atomic.Int64
			until.Store(6)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				other := false
				if r.Method == http.MethodGet {
					n := bodies.Add(1)
					other = n > 2 && n < until.Load()
				}
				mark(w.Header(), other)
				changed, value := time.Unix(1e9, 0), float32(1)
				if other {
					changed, value = changed.Add(time.Hour), 2
				}
				http.ServeContent(w, r, "", changed, bytes.NewReader(file(value)))
			}))
			t.Cleanup(server.Close)
			j, err := jobfile.Parse("job.yaml", fmt.Appendf(nil, `
zmigrate: 1
source: {driver: raw, arrays: {a: {url: %q, data_type: float32, shape: [%d, %d]}}}
target: {url: out.zarr}
arrays: {a: {chunks: [2, %d]}}
run: {workers: {read: 1, encode: 1, write: 1}, checkpoint: {every: 1ms}, memory: 16MiB}
`, server.URL+"/a.raw", rows, columns, columns), t.TempDir(), jobfile.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = execute(t, j, jobtest.Environment(), Options{})
			if !errors.Is(err, sources.ErrChanged) || !strings.Contains(err.Error(), "a.raw") || !strings.Contains(err.Error(), "target.existing: overwrite") {
				t.Errorf("after %d bodies: %v", bodies.Load(), err)
			}
			until.Store(0)
			if _, err := execute(t, j, jobtest.Environment(), Options{}); err != nil {
				t.Fatal(err)
			}
			_, values := readArray(t, j.Target.URL, "a", jobtest.Environment())
			if i := slices.IndexFunc(values, func(v float32) bool { return v != 1 }); i >= 0 {
				t.Errorf("element %d is %v", i, values[i])
			}
		})
	}
}
