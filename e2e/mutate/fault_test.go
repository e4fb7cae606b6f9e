package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const text = `package p

import "errors"

func less[T int | int8](a, _ T, _ ...string) (ok bool) {
	if ok = a < 7 && a > 0; ok {
		return ok
	}
	return
}

type p struct{}

func (p) check(int) error {
	n := 0
	n++
	if err := errors.New("no"); err != nil {
		return err
	}
	return nil
}
`

// TestFaults finds the faults of a file.
func TestFaults(t *testing.T) {
	r := &room{}
	if err := r.find(&source{path: "./p", name: "p", texts: map[string]string{"p.go": text}}, "p.go"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.faults {
		got = append(got, f.change())
	}
	slices.Sort(got)
	want := []string{
		`in check, if err := errors.New("no"); err != nil { → if err := errors.New("no"); err == nil {`,
		`in check, if err := errors.New("no"); err != nil { → if err := errors.New("no"); false && (err != nil) {`,
		`in check, n := 0 → n := (0+1)`,
		`in check, n++ → `,
		`in check, n++ → n--`,
		`in check, return err → return nil`,
		`in less, if ok = a < 7 && a > 0; ok { → if ; ok {`,
		`in less, if ok = a < 7 && a > 0; ok { → if ok = a < (7+1) && a > 0; ok {`,
		`in less, if ok = a < 7 && a > 0; ok { → if ok = a < 7 && a > (0+1); ok {`,
		`in less, if ok = a < 7 && a > 0; ok { → if ok = a < 7 && a > 0; !(ok) {`,
		`in less, if ok = a < 7 && a > 0; ok { → if ok = a < 7 && a >= 0; ok {`,
		`in less, if ok = a < 7 && a > 0; ok { → if ok = a < 7 || a > 0; ok {`,
		`in less, if ok = a < 7 && a > 0; ok { → if ok = a <= 7 && a > 0; ok {`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTry counts the faults that a test of one half of a package notices, and those of
// another package, which is tested from there.
func TestTry(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, data := range map[string]string{
		"go.mod": "module p\n\ngo 1.26\n",
		"p.go":   text,
		"q/p.go": "package q\n\nfunc Next(n int) int { return n + 1 }\n",
		"p_test.go": `package p

import (
	"testing"

	"p/q"
)

func TestNext(t *testing.T) {
	if q.Next(1) != 2 {
		t.Error("another number")
	}
}

func TestCheck(t *testing.T) {
	if (p{}).check(1) == nil {
		t.Error("no error")
	}
}
`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := open(".", "", "in check, n")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.faults) != 3 {
		t.Errorf("%d faults of three lines", len(r.faults))
	}
	if r, err = open(".,./q", "", ""); err != nil {
		t.Fatal(err)
	}
	// One of 15 faults does not compile: a variable would be set and never used.
	known := map[string]bool{"p.go: in check, n++ → n--": true}
	if diff := cmp.Diff([]string{"p.go: in check, n"}, stale(map[string]bool{"p.go: in check, n": true, "p.go: in check, n++ → n--": true, "z/p.go: x": true}, []*room{r})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s, err := r.try(100, rand.New(rand.NewPCG(1, 2)), known)
	if want := (score{faults: 14, noticed: 5, equivalent: 1}); s != want || err != nil {
		t.Errorf("%v, %v, want %v", s, err, want)
	}
}
