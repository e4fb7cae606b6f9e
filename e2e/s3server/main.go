// S3server is the server of S3 that the tests talk to: gofakes3, with objects in memory. It
// has a module of its own, so that nobody who builds zmigrate needs its modules.
//
// It prints the address at which it listens and serves until its standard input ends, which
// is when the process that started it ends. The header X-Instance of a request names the
// instance that it is for. A new name is a new server with an empty bucket named "bucket". A
// request with the method FORGET ends an instance. With -latency it waits before it answers a
// request, as if it were far away.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// instances are servers by their names.
type instances struct {
	mu  sync.Mutex
	all map[string]http.Handler
}

func (s *instances) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.Header.Get("X-Instance")
	r.Header.Del("X-Instance")
	if r.Method == "FORGET" {
		s.mu.Lock()
		delete(s.all, name)
		s.mu.Unlock()
		return
	}
	server, err := s.named(name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	server.ServeHTTP(w, r)
}

func (s *instances) named(name string) (http.Handler, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if server, ok := s.all[name]; ok {
		return server, nil
	}
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		return nil, err
	}
	server := gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	s.all[name] = server
	return server, nil
}

func main() {
	if err := run(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "s3server:", err)
		os.Exit(1)
	}
}

func run() error {
	latency := flag.Duration("latency", 0, "how long to wait before each answer")
	flag.Parse()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, l.Addr()); err != nil {
		return err
	}
	failed := make(chan error, 1)
	all := &instances{all: make(map[string]http.Handler)}
	go func() {
		failed <- http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(*latency)
			all.ServeHTTP(w, r)
		}))
	}()
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	select {
	case err := <-failed:
		return err
	case <-ended:
		return nil
	}
}
