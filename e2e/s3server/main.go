// S3server is the server of S3 that the tests talk to: gofakes3, with objects in memory. It
// has a module of its own, so that nobody who builds zmigrate needs its modules.
//
// It prints the address at which it listens and serves until its standard input ends, which
// is when the process that started it ends. The header X-Instance of a request names the
// instance that it is for. A new name is a new server with an empty bucket named "bucket". A
// request with the method FORGET ends an instance. With -latency it waits before it answers a
// request, as if it were far away. With -unhashed it leaves out the MD5 of large objects, so
// that it takes as little as possible of a processor that it shares with its clients.
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
)

// instances are servers by their names.
type instances struct {
	unhashed bool
	buffers  bufferPool

	mu  sync.Mutex
	all map[string]instance
}

type instance struct {
	http.Handler
	end func()
}

func newInstances(unhashed bool) *instances {
	return &instances{unhashed: unhashed, buffers: bufferPool{free: make(map[int][][]byte)}, all: make(map[string]instance)}
}

func (s *instances) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.Header.Get("X-Instance")
	r.Header.Del("X-Instance")
	if r.Method == "FORGET" {
		s.forget(name)
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
	server, err := s.begin()
	if err != nil {
		return nil, err
	}
	s.all[name] = server
	return server, nil
}

func (s *instances) begin() (instance, error) {
	large := newLargeObjects(&s.buffers)
	var backend gofakes3.Backend = large.Backend
	if s.unhashed {
		backend = large
	}
	if err := backend.CreateBucket("bucket"); err != nil {
		return instance{}, err
	}
	server := gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()
	if s.unhashed {
		server = large.taking(server)
	}
	return instance{server, large.end}, nil
}

func (s *instances) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if server, ok := s.all[name]; ok {
		server.end()
		delete(s.all, name)
	}
}

func main() {
	if err := run(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "s3server:", err)
		os.Exit(1)
	}
}

func run() error {
	latency := flag.Duration("latency", 0, "how long to wait before each answer")
	unhashed := flag.Bool("unhashed", false, "the ETag of a large object is not its MD5")
	flag.Parse()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, l.Addr()); err != nil {
		return err
	}
	failed := make(chan error, 1)
	all := newInstances(*unhashed)
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
