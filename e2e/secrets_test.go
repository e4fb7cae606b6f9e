package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zmigrate/zmigrate/cmd/zmigrate/app"
)

// planted is the secret. It must not appear anywhere.
const planted = "Hunter2+Planted/Secret=="

// forms are the forms in which a text may contain the secret.
var forms = []string{"Hunter2", url.QueryEscape(planted), url.PathEscape(planted)}

// runWithoutSecret runs the program and fails the test if the output has the secret. It
// returns the output and whether the program succeeded.
func runWithoutSecret(t *testing.T, arguments ...string) (output string, ok bool) {
	t.Helper()
	return runWithoutSecretIn(t, nil, arguments...)
}

// runWithoutSecretIn is runWithoutSecret with additional variables in the program's environment.
func runWithoutSecretIn(t *testing.T, environment []string, arguments ...string) (output string, ok bool) {
	t.Helper()
	c := zmigrate(t.Context(), t, arguments...)
	c.Env = append(os.Environ(), environment...)
	var all bytes.Buffer
	c.Stdout, c.Stderr = &all, &all
	err := c.Run()
	checkNoSecret(t, strings.Join(arguments[:1], " "), all.Bytes())
	return all.String(), err == nil
}

// checkNoSecret fails the test if a text contains the secret.
func checkNoSecret(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, form := range forms {
		if bytes.Contains(text, []byte(form)) {
			t.Errorf("%s contains the secret: %s", where, text)
			return
		}
	}
}

// echo answers with a status. Its body and its headers contain everything that the
// request had.
func echo(status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("X-Ms-Error-Code", "Echo")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<Error><Code>Echo</Code><Message>m</Message><StringToSign>%s %s %v</StringToSign></Error>", planted, r.URL, r.Header)
	})
}

// environ returns variables with credentials for every provider, and with the address of
// an Azure server. All credentials are the secret.
func environ(azure string) []string {
	return []string{
		"AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=" + planted, "AWS_SESSION_TOKEN=" + planted,
		"AZURE_STORAGE_ACCOUNT=account", "AZURE_STORAGE_KEY=", "AZURE_STORAGE_CONNECTION_STRING=",
		"AZURE_STORAGE_SAS_TOKEN=sv=1&sig=" + url.QueryEscape(planted),
		"AZURE_STORAGE_DOMAIN=" + strings.TrimPrefix(azure, "http://"), "AZURE_STORAGE_PROTOCOL=http",
		"PLANTED=" + url.PathEscape(planted),
	}
}

// turns are calls of the program, in the order in which they are made.
type turns []turn

type turn struct {
	Arguments []string
	Output    string
	Status    int
}

// call appends a call.
func (c *turns) call(arguments ...string) { *c = append(*c, turn{Arguments: arguments}) }

// inTurn makes the calls that standard input lists, all in this process, and writes the
// calls with their output to standard output.
func inTurn() error {
	var calls turns
	if err := json.NewDecoder(os.Stdin).Decode(&calls); err != nil {
		return err
	}
	for i := range calls {
		var all sharedBuffer
		calls[i].Status = app.Main(append([]string{"zmigrate"}, calls[i].Arguments...), &all, &all)
		calls[i].Output = all.String()
	}
	return json.NewEncoder(os.Stdout).Encode(calls)
}

// sharedBuffer is a buffer that goroutines may write at the same time.
type sharedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *sharedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// runAllWithoutSecret makes calls of the program in one process, because a process for
// each takes longer to begin than to do its work. The process has additional variables
// in its environment. runAllWithoutSecret fails the test if the output of a call has the
// secret.
func runAllWithoutSecret(t *testing.T, environment []string, calls turns) turns {
	t.Helper()
	input, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	c := prepare(t.Context(), t, "zmigrate-in-turn")
	c.Env = append(os.Environ(), environment...)
	var output, beside bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(input), &output, &beside
	err = c.Run()
	checkNoSecret(t, "beside the output", beside.Bytes())
	if err != nil {
		t.Fatalf("%v: %s", err, beside.String())
	}
	var made turns
	if err := json.Unmarshal(output.Bytes(), &made); err != nil {
		t.Fatal(err)
	}
	for _, m := range made {
		checkNoSecret(t, m.Arguments[0], []byte(m.Output))
	}
	return made
}

// TestSecretsOfTheEnvironment runs jobs that succeed, and jobs that servers refuse,
// with the credentials that the program needs.
func TestSecretsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	job, _ := cube(t, dir, 32, "zstd")
	b := serve(t)
	var servers []string
	for _, status := range []int{http.StatusForbidden, http.StatusServiceUnavailable} {
		s := httptest.NewServer(echo(status))
		t.Cleanup(s.Close)
		servers = append(servers, s.URL)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	servers = append(servers, gone.URL)
	common := []string{"--json", "--log-level", "debug", "--set", "run.requests.retries=1"}
	if output, ok := runWithoutSecretIn(t, environ(gone.URL), append([]string{"run", "--set", "target.url=" + b.url("secret.zarr"), job}, common...)...); !ok {
		t.Error(output)
	}
	for _, folder := range []string{"secret.zarr", "secret.zarr.zmigrate"} {
		s := b.open(t, folder)
		for key := range b.tree(t, folder) {
			data, err := s.ReadAll(t.Context(), key, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			checkNoSecret(t, folder+"/"+key, data)
		}
	}
	for _, server := range servers {
		for _, target := range []string{"s3://bucket/x.zarr?region=r&use_path_style=true&endpoint=" + server, "azblob://box/x.zarr"} {
			t.Run(server+"/"+target, func(t *testing.T) {
				t.Parallel()
				checkpoint := filepath.Join(t.TempDir(), "checkpoint")
				for _, command := range [][]string{
					{"run", "--set", "target.url=" + target, "--set", "run.checkpoint.url=" + checkpoint, job},
					{"status", "--set", "target.url=" + target, job},
					{"inspect", target},
				} {
					if command[0] != "inspect" {
						command = append(command, common...)
					}
					if output, ok := runWithoutSecretIn(t, environ(server), command...); ok && command[0] != "status" {
						t.Errorf("%s: %s", command[0], output)
					}
				}
				checkNoSecretBelow(t, checkpoint)
			})
		}
	}
}

// checkNoSecretBelow fails the test if a file of a folder contains the secret.
func checkNoSecretBelow(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		checkNoSecret(t, name, data)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// TestSecretsInURLs puts secrets where they do not belong.
func TestSecretsInURLs(t *testing.T) {
	t.Parallel()
	secret := url.PathEscape(planted)
	for _, place := range []string{
		"s3://key:" + secret + "@bucket/x.zarr", "s3://bucket/x.zarr?sig=" + secret, "s3://bucket/x.zarr?" + secret,
		"s3://bucket/x.zarr?endpoint=http://u:" + secret + "@127.0.0.1:1", "s3://bucket/x.zarr?endpoint=http://127.0.0.1:1/?sig=" + secret,
		"gs://key:" + secret + "@bucket/x.zarr", "gs://bucket/x.zarr?X-Goog-Signature=" + secret,
		"azblob://box/x.zarr?sig=" + secret, "azblob://box/x.zarr?domain=u:" + secret + "@127.0.0.1:1",
		"https://user:" + secret + "@127.0.0.1:1/x.nc", "https:/user:" + secret + "@127.0.0.1:1/x.nc",
		"//user:" + secret + "@host/x.zarr", "//user:" + secret + "@host", "//" + secret + "@host/x.zarr",
		"http://127.0.0.1:1/x.nc?a b=" + secret, "http://[" + secret + "/x.nc", "ftp://u:" + secret + "@host/x.nc", "s3://key:${PLANTED}@bucket/x.zarr",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var calls turns
			for i, job := range []string{
				fmt.Sprintf("{zmigrate: 1, source: {driver: netcdf, url: %q}, target: {url: out.zarr}}", place),
				fmt.Sprintf("{zmigrate: 1, source: {driver: raw, arrays: {a: {url: %q, data_type: int8, shape: [2]}}}, target: {url: out.zarr}}", place),
				fmt.Sprintf("{zmigrate: 1, source: {driver: netcdf, url: %q}, target: {url: %q}}", absolute(t, example), place),
				fmt.Sprintf("{zmigrate: 1, source: {driver: netcdf, url: %q}, target: {url: out.zarr}, run: {checkpoint: {url: %q}}}", absolute(t, example), place),
			} {
				file := write(t, dir, fmt.Sprintf("%d.yaml", i), []byte(job))
				for _, command := range []string{"run", "plan", "validate", "status"} {
					calls.call(command, "--json", "--log-level", "debug", "--set", "run.requests.retries=1", file)
				}
			}
			without := write(t, dir, "set.yaml", fmt.Appendf(nil, "{zmigrate: 1, source: {driver: netcdf, url: %q}, target: {}}", absolute(t, example)))
			calls.call("run", "--set", "target.url="+place, "--set", "run.requests.retries=1", without)
			calls.call("inspect", place)
			calls.call("copy", place, filepath.Join(dir, "copy.zarr"))
			calls.call("copy", absolute(t, example), place)
			calls.call(place)
			for _, made := range runAllWithoutSecret(t, environ("http://127.0.0.1:1"), calls) {
				switch made.Arguments[0] {
				case "plan", "validate", "status": // need not open the place
				default:
					if made.Status == 0 {
						t.Errorf("%s: %s", made.Arguments, made.Output)
					}
				}
			}
			checkNoSecretBelow(t, filepath.Join(dir, "out.zarr.zmigrate"))
		})
	}
}

// TestSecretsOfRedirects follows a redirect to a signed URL that works, and redirects
// to some that do not work.
func TestSecretsOfRedirects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := http.FileServer(http.Dir(filepath.Dir(example)))
	gone := httptest.NewServer(files)
	gone.Close()
	refuses, works := httptest.NewServer(echo(http.StatusForbidden)), httptest.NewServer(files)
	t.Cleanup(refuses.Close)
	t.Cleanup(works.Close)
	for i, at := range []string{works.URL, gone.URL, refuses.URL} {
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, at+r.URL.Path+"?X-Amz-Signature="+url.QueryEscape(planted), http.StatusTemporaryRedirect)
		}))
		t.Cleanup(front.Close)
		source := front.URL + "/" + filepath.Base(example)
		target := filepath.Join(dir, fmt.Sprintf("%d.zarr", i))
		job := write(t, dir, fmt.Sprintf("%d.yaml", i), fmt.Appendf(nil, "{zmigrate: 1, source: {driver: netcdf, url: %q}, target: {url: %q}, run: {requests: {retries: 1}}}", source, target))
		output, ok := runWithoutSecret(t, "run", "--json", "--log-level", "debug", job)
		if ok != (i == 0) {
			t.Errorf("%d: %s", i, output)
		}
		if output, ok := runWithoutSecret(t, "inspect", source); ok != (i == 0) {
			t.Errorf("%d: %s", i, output)
		}
		checkNoSecretBelow(t, dir)
	}
}

// TestSecretsOfSignedURLs migrates from a server that demands a signature in the query
// of each request, and again with a new signature.
func TestSecretsOfSignedURLs(t *testing.T) {
	t.Parallel()
	dir := fast(t)
	write(t, dir, "x.bin", []byte("0123456789"))
	if output, ok := runWithoutSecret(t, "copy", absolute(t, example), filepath.Join(dir, "in.zarr")); !ok {
		t.Fatal(output)
	}
	example, err := os.ReadFile(absolute(t, example))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "x.cdf", example)
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Query().Get("X-Amz-Signature"), planted) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	common := []string{"--json", "--log-level", "debug", "--set", "run.requests.retries=1"}
	for name, source := range map[string]string{
		"netcdf": `{driver: netcdf, url: "%s/x.cdf?%s"}`, "zarr": `{driver: zarr, url: "%s/in.zarr?%s"}`,
		"raw": `{driver: raw, arrays: {a: {url: "%s/x.bin?%s", data_type: int8, shape: [10]}}}`,
	} {
		target := filepath.Join(dir, "out", name+".zarr")
		job := func(signature string) string {
			query := "versionId=7&X-Amz-Expires=1&X-Amz-Signature=" + url.QueryEscape(signature)
			return write(t, dir, "out/"+name+".yaml", fmt.Appendf(nil, "{zmigrate: 1, source: %s, target: {url: %q}}", fmt.Sprintf(source, server.URL, query), target))
		}
		for _, command := range []string{"validate", "plan", "run", "status"} {
			if output, ok := runWithoutSecret(t, append([]string{command, job(planted)}, common...)...); !ok || command == "plan" && strings.Contains(output, "?") {
				t.Errorf("%s %s: %s", command, name, output)
			}
		}
		if output, ok := runWithoutSecret(t, append([]string{"run", job(planted + "renewed")}, common...)...); !ok || !strings.Contains(output, `"already_complete":true`) {
			t.Errorf("%s with another signature: %s", name, output)
		}
		if output, ok := runWithoutSecret(t, append([]string{"run", job("expired")}, common...)...); ok {
			t.Errorf("%s with a bad signature: %s", name, output)
		}
		checkNoSecretBelow(t, target)
		checkNoSecretBelow(t, target+".zmigrate")
	}
	signed := "?X-Amz-Signature=" + url.QueryEscape(planted)
	for _, command := range [][]string{
		{"inspect", server.URL + "/x.cdf" + signed}, {"inspect", "--json", server.URL + "/in.zarr" + signed},
		{"copy", server.URL + "/x.cdf" + signed, filepath.Join(dir, "out", "copy.zarr")},
	} {
		if output, ok := runWithoutSecret(t, command...); !ok {
			t.Errorf("%s: %s", command[0], output)
		}
	}
	for _, command := range [][]string{{"inspect", server.URL + "/none.cdf" + signed}, {"copy", server.URL + "/x*.cdf" + signed, filepath.Join(dir, "none.zarr")}} {
		if output, ok := runWithoutSecret(t, command...); ok {
			t.Errorf("%s: %s", command[0], output)
		}
	}
	checkNoSecretBelow(t, filepath.Join(dir, "out", "copy.zarr.zmigrate"))
}

// TestURLsWithUsers checks that credentials in a URL are refused as a mistake in the
// job or on the command line.
func TestURLsWithUsers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, place := range []string{"//user:" + planted + "@host/x.zarr", "s3://user:" + url.PathEscape(planted) + "@bucket/x.zarr", "https://user:" + url.PathEscape(planted) + "@host/x.nc"} {
		n := 0
		job := func(source, target, checkpoint string) string {
			n++
			return write(t, dir, fmt.Sprintf("%d.yaml", n), fmt.Appendf(nil, "{zmigrate: 1, source: {driver: netcdf, url: %q}, target: {url: %q}, run: {checkpoint: {url: %q}}}", source, target, checkpoint))
		}
		for _, command := range [][]string{
			{"inspect", place}, {"copy", place, "out.zarr"}, {"copy", absolute(t, example), place}, {place},
			{"run", job(place, "out.zarr", "check")}, {"plan", job(absolute(t, example), place, "check")}, {"validate", job(absolute(t, example), "out.zarr", place)},
			{"run", "--set", "target.url=" + place, job(absolute(t, example), "out.zarr", "check")},
		} {
			c := zmigrate(t.Context(), t, command...)
			c.Dir = dir
			var all bytes.Buffer
			c.Stdout, c.Stderr = &all, &all
			if status := statusOf(t, c.Run()); status != 2 {
				t.Errorf("%s: status %d: %s", command[0], status, all.String())
			}
			checkNoSecret(t, command[0], all.Bytes())
		}
	}
}

// TestSecretsOfProxies has a proxy with a password in the environment.
func TestSecretsOfProxies(t *testing.T) {
	t.Parallel()
	for _, proxy := range []string{"http://user:" + planted + "@127.0.0.1:1", "http://user:" + url.PathEscape(planted) + "@127.0.0.1:1", "http://user:%zz" + planted + "@127.0.0.1:1"} {
		environment := append(environ("http://example.invalid"), "HTTP_PROXY="+proxy, "http_proxy="+proxy)
		var calls turns
		for _, place := range []string{"http://example.invalid/x.nc", "s3://bucket/x.zarr?region=r&endpoint=http://example.invalid", "azblob://box/x.zarr"} {
			job := write(t, t.TempDir(), "job.yaml", fmt.Appendf(nil, "{zmigrate: 1, source: {driver: netcdf, url: %q}, target: {url: out.zarr}, run: {requests: {retries: 0}}}", place))
			calls.call("plan", "--json", "--log-level", "debug", job)
		}
		for _, made := range runAllWithoutSecret(t, environment, calls) {
			if made.Status == 0 {
				t.Error(made.Output)
			}
		}
	}
}
