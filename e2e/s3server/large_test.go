package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// client makes requests to a server under test.
type client struct {
	t   *testing.T
	url string
}

// do returns the header and the body of an answer.
func (c client) do(status int, method, key string, body []byte, headers ...string) (http.Header, []byte) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+key, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status {
		c.t.Fatalf("%s %s: status %d, %v\n%s", method, key, answer.StatusCode, err, got)
	}
	return answer.Header, got
}

// TestLargeObjects compares what clients see of objects, with and without -unhashed. Only
// the ETags of large objects may differ.
func TestLargeObjects(t *testing.T) {
	for _, unhashed := range []bool{false, true} {
		server := httptest.NewServer(newInstances(unhashed))
		t.Cleanup(server.Close)
		c := client{t, server.URL}
		for _, size := range []int{0, largeFrom - 1, largeFrom, 3*largeFrom + 1} {
			t.Run(fmt.Sprintf("unhashed=%t/%d", unhashed, size), func(t *testing.T) {
				c := client{t, server.URL}
				data := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
				key := fmt.Sprintf("/bucket/of%d", size)
				put, _ := c.do(200, "PUT", key, data)
				c.do(412, "PUT", key, data, "If-None-Match: *")
				c.do(200, "PUT", key, data, "If-Match: "+put.Get("ETag"))
				head, _ := c.do(200, "HEAD", key, nil)
				if got := head.Get("Content-Length"); got != fmt.Sprint(size) || head.Get("ETag") != put.Get("ETag") && !unhashed {
					t.Errorf("%s bytes, %v", got, head)
				}
				if _, got := c.do(200, "GET", key, nil); !bytes.Equal(got, data) {
					t.Errorf("%d bytes came back", len(got))
				}
				if size > 0 {
					part, got := c.do(206, "GET", key, nil, "Range: bytes=10-19")
					if want := fmt.Sprintf("bytes 10-19/%d", size); !bytes.Equal(got, data[10:20]) || part.Get("Content-Range") != want {
						t.Errorf("%q, %q", got, part.Get("Content-Range"))
					}
					c.do(416, "GET", key, nil, fmt.Sprintf("Range: bytes=%d-", size))
				}
			})
		}
		var list struct{ Contents []struct{ Size int } }
		if _, got := c.do(200, "GET", "/bucket?list-type=2", nil); xml.Unmarshal(got, &list) != nil || len(list.Contents) != 4 || list.Contents[0].Size != 0 || list.Contents[1].Size != 3*largeFrom+1 {
			t.Errorf("%+v", list)
		}
		c.do(200, "FORGET", "/", nil)
		c.do(404, "GET", "/bucket/of0", nil)
		c.do(404, "GET", fmt.Sprintf("/bucket/of%d", largeFrom), nil)
	}
}

// TestBuffersAreUsedAgain: the memory of an instance that has ended serves the next one.
func TestBuffersAreUsedAgain(t *testing.T) {
	all := newInstances(true)
	server := httptest.NewServer(all)
	t.Cleanup(server.Close)
	c := client{t, server.URL}
	for _, size := range []int{largeFrom + 100, largeFrom + 50} {
		c.do(200, "PUT", "/bucket/k", bytes.Repeat([]byte{1}, size))
		c.do(200, "FORGET", "/", nil)
	}
	if free := all.buffers.free; len(free) != 1 || len(free[largeFrom+8<<10]) != 1 {
		t.Errorf("%d sizes of buffers", len(free))
	}
}

func TestIsLarge(t *testing.T) {
	for text, want := range map[string]bool{
		"PUT /k": true, "PUT /k?x-id=PutObject": true, "PUT /k?uploadId=1&partNumber=1": false, "POST /k": false,
		"PUT /k Content-MD5": false, "PUT /k X-Amz-Content-Sha256": false,
	} {
		words := append(strings.Fields(text), "")
		r := httptest.NewRequest(words[0], words[1], bytes.NewReader(make([]byte, largeFrom)))
		if words[2] != "" {
			r.Header.Set(words[2], "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
		}
		if got := isLarge(r); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
