package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/sinks"
)

// TestReceiptsNameTheirObjects resumes runs with three checkpoints: with receipts of this
// version, with receipts of an earlier version, which have no keys, and with a receipt that
// names another object.
func TestReceiptsNameTheirObjects(t *testing.T) {
	for name, test := range map[string]struct {
		key  func(string) string
		want string
	}{
		"as written":         {func(key string) string { return key }, ""},
		"an earlier version": {func(string) string { return "" }, ""},
		"another object":     {func(key string) string { return strings.Replace(key, "c/", "d/", 1) }, "names the object "},
	} {
		t.Run(name, func(t *testing.T) {
			j, env := largeJob(t), jobtest.Environment()
			interrupt(t, j, env)
			names, err := filepath.Glob(filepath.Join(j.Target.URL+".zmigrate", "segments", "*"))
			if err != nil || len(names) == 0 {
				t.Fatalf("segments %q, error %v", names, err)
			}
			for _, name := range names {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				var changed []byte
				for line := range strings.Lines(string(text)) {
					var x sinks.Receipt
					if err := json.Unmarshal([]byte(line), &x); err != nil {
						t.Fatal(err)
					}
					if !x.Empty && x.Key == "" {
						t.Errorf("a receipt without a key: %s", line)
					}
					x.Key = test.key(x.Key)
					if text, err = json.Marshal(x); err != nil {
						t.Fatal(err)
					}
					changed = append(append(changed, text...), '\n')
				}
				if err := os.WriteFile(name, changed, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			result, err := execute(t, j, env, Options{})
			switch {
			case test.want == "" && (err != nil || result.Resumed == 0):
				t.Errorf("%+v, %v", result, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
