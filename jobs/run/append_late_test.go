package run

import (
	"encoding/json"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/internal/store/limits"
	"github.com/zmigrate/zmigrate/internal/store/s3test"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/journal"
	"github.com/zmigrate/zmigrate/jobs/plan"
)

// TestAppendLate lets a put of an earlier owner of the lock arrive after a plan has read the
// last chunk of a coordinate. The chunk then has the same rows and more rows behind them. A
// run of the plan still appends its rows.
func TestAppendLate(t *testing.T) {
	server := httptest.NewServer(s3test.New(t))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull} {
		t.Setenv(name, value)
	}
	for _, codecs := range []string{"[bytes]", "[{sharding_indexed: {chunk_shape: [2], codecs: [bytes], index_codecs: [bytes, crc32c]}}]"} {
		dir, env := t.TempDir(), jobtest.Environment()
		url := "s3://bucket/" + string(codecs[2]) + "/out.zarr?use_path_style=true&region=eu-west-1&endpoint=" + neturl.QueryEscape(server.URL)
		edit := []string{"url: out.zarr", "url: '" + url + "'", "g/time: {chunks: [4]", "g/time: {chunks: [4], codecs: " + codecs}
		if _, err := execute(t, night{0, 3}.job(t, dir, edit...), env, Options{}); err != nil {
			t.Fatal(err)
		}
		st, err := store.Open(t.Context(), url, store.Options{Limits: limits.New(0)})
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.New(t.Context(), night{3, 3}.job(t, dir, edit...), env)
		if err != nil {
			t.Fatal(err)
		}
		const chunk = "g/time/c/0"
		before, err := st.ReadAll(t.Context(), chunk, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		late := slices.Clone(before)
		late[31]++ // of the fourth row, which the target does not have yet
		if err := st.Put(t.Context(), chunk, late); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), p, env, Options{Owner: journal.ThisProcess("test")}); err != nil {
			t.Errorf("%s: %v", codecs, err)
		}
		var document struct{ Shape []int }
		text, err := st.ReadAll(t.Context(), "g/time/zarr.json", 1<<20)
		if err == nil {
			err = json.Unmarshal(text, &document)
		}
		if err != nil || !slices.Equal(document.Shape, []int{6}) {
			t.Errorf("%s: %v, rows %v", codecs, err, document.Shape)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
}
