// Package s3test starts the S3 server of the tests. The server is a program of its own with
// a module of its own, e2e/s3server, so that the modules it needs are not ours. The first
// test of a process that wants a server builds the program, or takes it from the build cache,
// and starts it. It ends with the process.
package s3test

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// running is the process that serves the tests of this one.
var running struct {
	once    sync.Once
	address string
	err     error
	stdin   io.WriteCloser // the process ends when this one's end is closed
}

// New returns a server with one empty bucket, named "bucket". It accepts all credentials. Its
// objects are gone at the end of the test.
func New(t testing.TB) http.Handler {
	t.Helper()
	server, forget, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(forget)
	return server
}

// Start is New for programs that are no tests. The caller calls forget when it no longer
// needs the server.
func Start() (server http.Handler, forget func(), err error) {
	running.once.Do(func() { running.address, running.stdin, running.err = start() })
	if running.err != nil {
		return nil, nil, fmt.Errorf("the S3 server of the tests: %w", running.err)
	}
	name, at := rand.Text(), &url.URL{Scheme: "http", Host: running.address}
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	forget = func() {
		r := &http.Request{Method: "FORGET", URL: at, Header: http.Header{"X-Instance": {name}}}
		if answer, err := transport.RoundTrip(r); err == nil {
			_ = answer.Body.Close()
		}
		transport.CloseIdleConnections()
	}
	return &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = at.Scheme, at.Host
			r.Out.Host = r.In.Host
			r.Out.Header.Set("X-Instance", name)
			r.Out.Header.Del("Expect") // the body comes at once
		},
		// A client that has gone away gets no answer.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}, forget, nil
}

// start starts the process and returns its address.
func start() (address string, stdin io.WriteCloser, err error) {
	folder, err := sourceFolder()
	if err != nil {
		return "", nil, err
	}
	c := exec.Command("go", "run", ".")
	c.Dir = folder
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	c.Stderr = os.Stderr
	if stdin, err = c.StdinPipe(); err != nil {
		return "", nil, err
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("`go run .` in %s did not start it: %w", folder, errors.Join(err, c.Wait()))
	}
	return strings.TrimSpace(line), stdin, nil
}

// sourceFolder looks for the program above the working directory, which is the folder of the
// package that is tested.
func sourceFolder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		folder := filepath.Join(dir, "e2e", "s3server")
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", fmt.Errorf("e2e/s3server: %w", fs.ErrNotExist)
		}
		dir = above
	}
}
