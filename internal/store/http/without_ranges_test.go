package http

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// Objects that servers send are kept within the bound, whether their size is told or not.
func TestWholeObjectsMakeRoom(t *testing.T) {
	for name, size := range map[string]int64{"told": 30 << 20, "not told": -1} {
		k := limits.NewWholeObjects()
		for i, data := range [][]byte{make([]byte, 30<<20), make([]byte, 30<<20), make([]byte, 30<<20)} {
			p := []byte{1}
			answer := &http.Response{ContentLength: size, Body: io.NopCloser(bytes.NewReader(data)), Header: http.Header{}}
			if err := takeWhole(t.Context(), k, strconv.Itoa(i), answer, p, 5, driver.Info{Size: 30 << 20}); err != nil || p[0] != 0 {
				t.Fatal(err)
			}
			kept := 0
			for of := range i + 1 {
				data, _ := k.Get(strconv.Itoa(of))
				kept += len(data)
			}
			if _, last := k.Get(strconv.Itoa(i)); kept > limits.MostKept || !last {
				t.Errorf("size %s: %d bytes are kept, the last object is: %t", name, kept, last)
			}
		}
	}
}
