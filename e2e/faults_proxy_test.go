package e2e

import (
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"
)

// proxy stands between the program and a server, and disturbs requests as networks and
// busy servers do.
type proxy struct {
	endpoint string
	to       http.Handler

	mu       sync.Mutex
	weather  weather
	chance   *rand.Rand
	requests int            // number of requests so far
	active   int            // number of requests under way
	alone    int            // number of requests that came while no other was under way
	until    time.Time      // end of an outage under way
	faults   map[string]int // number of faults of each kind
}

// weather says what goes wrong. The shares are of all requests.
type weather struct {
	busy, reset, cut float64       // shares of answers 503, of reset connections, and of bodies that break off
	broken           float64       // share of answers 500
	latency          time.Duration // added to each request
	outage           time.Duration // how long every connection is reset
	outageAt         int           // the request with which the outage begins; 0: there is none
	room             int           // most requests at the same time; others are answered 503; 0: any number
}

// newProxy starts a proxy in front of a server. Faults are random, but equal for the
// same requests in the same order.
func newProxy(t testing.TB, server string, w weather) *proxy {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(to)
	forward.ErrorLog = log.New(io.Discard, "", 0) // bodies break off on purpose
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 1024
	forward.Transport = transport
	p := &proxy{to: forward, weather: w, chance: rand.New(rand.NewPCG(1, 2)), faults: map[string]int{}}
	s := httptest.NewUnstartedServer(p)
	s.Config.ErrorLog = forward.ErrorLog
	s.Start()
	t.Cleanup(func() {
		s.Close()
		transport.CloseIdleConnections()
	})
	p.endpoint = s.URL
	return p
}

// url returns the URL of a folder in the bucket of a server behind the proxy.
func (p *proxy) url(prefix string) string { return s3URL(p.endpoint, prefix) }

func s3URL(endpoint, prefix string) string {
	return fmt.Sprintf("s3://bucket/%s?region=us-east-1&endpoint=%s&use_path_style=true", prefix, endpoint)
}

// change changes the weather, and resets the counts of requests and faults.
func (p *proxy) change(w weather) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.weather, p.requests, p.alone, p.until = w, 0, 0, time.Time{}
	clear(p.faults)
}

// sequential returns the number of requests that came while no other was under way.
func (p *proxy) sequential() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.alone
}

// made lists how often each fault was made.
func (p *proxy) made() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d requests, faults %v", p.requests, p.faults)
}

// fault decides what happens to the next request: "" is nothing.
func (p *proxy) fault() (what string, latency time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	p.active++
	if p.active == 1 {
		p.alone++
	}
	if p.requests == p.weather.outageAt {
		p.until = time.Now().Add(p.weather.outage)
	}
	x := p.chance.Float64()
	for _, f := range []struct {
		name  string
		share float64
	}{
		{"busy", p.weather.busy},
		{"reset before", p.weather.reset / 2}, // the server does not receive the request
		{"reset after", p.weather.reset / 2},  // the server's answer is lost
		{"cut", p.weather.cut},
		{"broken", p.weather.broken},
	} {
		if x -= f.share; x < 0 {
			what = f.name
			break
		}
	}
	if time.Now().Before(p.until) {
		what = "outage"
	}
	if p.weather.room > 0 && p.active > p.weather.room {
		what = "busy"
	}
	if what != "" {
		p.faults[what]++
	}
	return what, p.weather.latency
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what, latency := p.fault()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.active--
	}()
	if latency > 0 {
		select {
		case <-time.After(latency):
		case <-r.Context().Done():
			return
		}
	}
	switch what {
	case "":
		p.to.ServeHTTP(w, r)
	case "busy":
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>")
	case "broken":
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, "<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>")
	case "cut":
		p.to.ServeHTTP(&cutWriter{ResponseWriter: w, left: -1}, r)
		reset(w) // there was no body to cut
	case "reset after":
		p.to.ServeHTTP(httptest.NewRecorder(), r)
		reset(w)
	default:
		reset(w)
	}
}

// reset breaks the connection of an answer that has not begun.
func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // RST, not FIN
	}
	_ = connection.Close()
}

// cutWriter breaks off in the middle of a body.
type cutWriter struct {
	http.ResponseWriter
	left int64 // of the body; -1 before it begins
}

var errCut = errors.New("cut")

func (w *cutWriter) WriteHeader(status int) {
	var size int64
	_, _ = fmt.Sscan(w.Header().Get("Content-Length"), &size)
	if w.left = size / 2; size > 0 {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *cutWriter) Write(p []byte) (int, error) {
	if int64(len(p)) <= w.left {
		n, err := w.ResponseWriter.Write(p)
		w.left -= int64(n)
		return n, err
	}
	n, _ := w.ResponseWriter.Write(p[:max(w.left, 0)])
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	return n, errCut
}

// Unwrap implements the interface for http.ResponseController.
func (w *cutWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
