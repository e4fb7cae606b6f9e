//go:build !nos3 && !nogcs && !noazure

package store

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zmigrate/zmigrate/internal/store/s3test"
)

// countConnections starts a server that counts its connections.
func countConnections(t *testing.T, handler http.Handler) (server *httptest.Server, connections *atomic.Int64) {
	t.Helper()
	connections = new(atomic.Int64)
	server = httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server, connections
}

// TestClients reads objects in many folders of a bucket, one after the other. Stores that
// share clients look for credentials once and use one connection. Other stores do so one by
// one. Another query is another client.
func TestClients(t *testing.T) {
	var lookups atomic.Int64
	credentials := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		lookups.Add(1)
		_, _ = w.Write([]byte(`{"AccessKeyId":"key","SecretAccessKey":"secret","Token":"token","Expiration":"2999-01-01T00:00:00Z"}`))
	}))
	t.Cleanup(credentials.Close)
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull} {
		t.Setenv(name, value)
	}
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", credentials.URL)
	server, connections := countConnections(t, withoutSums(s3test.New(t)))
	query := "use_path_style=true&region=eu-west-1&endpoint=" + strings.ReplaceAll(server.URL, "/", "%2F")
	const folders = 12
	for name, c := range map[string]struct {
		clients *Clients
		want    int64
	}{"shared": {&Clients{}, 1}, "not shared": {nil, folders}} {
		lookups.Store(0)
		connections.Store(0)
		for i := range folders {
			s := open(t, fmt.Sprintf("s3://bucket/folder%d?%s", i, query), Options{Clients: c.clients})
			put(t, s, map[string]string{"x": name})
			if got := get(t, s, "x"); got != name {
				t.Errorf("%s: got %q", name, got)
			}
		}
		if lookups.Load() != c.want || connections.Load() != c.want {
			t.Errorf("%s: %d lookups of credentials and %d connections, want %d", name, lookups.Load(), connections.Load(), c.want)
		}
		open(t, "s3://bucket/folder?anonymous=true&"+query, Options{Clients: c.clients})
		if lookups.Load() != c.want {
			t.Errorf("%s: credentials for a place without", name)
		}
		c.clients.Close()
	}
}

// TestClientsHTTP reads files in many folders of two servers by two connections.
func TestClientsHTTP(t *testing.T) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "x", time.Time{}, strings.NewReader(r.URL.Path))
	})
	clients := &Clients{}
	defer clients.Close()
	one, ofOne := countConnections(t, answer)
	two, ofTwo := countConnections(t, answer)
	for i := range 12 {
		for _, server := range []*httptest.Server{one, two} {
			s := open(t, fmt.Sprintf("%s/folder%d", server.URL, i), Options{Clients: clients})
			if got, want := get(t, s, "x"), fmt.Sprintf("/folder%d/x", i); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if err := s.Close(); err != nil { // the client stays open
				t.Error(err)
			}
		}
	}
	if ofOne.Load() != 1 || ofTwo.Load() != 1 {
		t.Errorf("%d and %d connections", ofOne.Load(), ofTwo.Load())
	}
}
