package combine

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/sources"
)

// opened is a source that counts how often it is closed.
type opened struct {
	*member
	closed  *int
	changed error
	broken  error // of Close
}

func (o opened) Files() iter.Seq[sources.File] { return slices.Values([]sources.File{{URL: "f"}}) }
func (o opened) Changed(context.Context) error { return o.changed }
func (o opened) Close() error                  { *o.closed++; return o.broken }

// TestCombineSources closes what was opened, also after an error, and asks all
// sources for changes.
func TestCombineSources(t *testing.T) {
	closed := 0
	list := map[string]opened{
		"a": {file("t(t)=0"), &closed, nil, nil}, "b?region=x": {file("t(t)=1"), &closed, sources.ErrChanged, nil},
	}
	open := func(_ context.Context, url string) (sources.Source, error) {
		if s, ok := list[url]; ok {
			return s, nil
		}
		return nil, errors.New("nothing there")
	}
	how := Options{Concat: "t", Wanted: everything}
	src, err := OpenAll(t.Context(), []string{"a", "b?region=x"}, open, how)
	if err != nil {
		t.Fatal(err)
	}
	if got := dump(t, src, "t"); got != "[t] [2] [0 1]" || len(slices.Collect(src.Files())) != 2 {
		t.Errorf("t is %s, files %v", got, slices.Collect(src.Files()))
	}
	if err := src.Changed(t.Context()); !errors.Is(err, sources.ErrChanged) {
		t.Errorf("changed: %v", err)
	}
	if err := src.Close(); err != nil || closed != 2 {
		t.Errorf("%d sources were closed, %v", closed, err)
	}
	if _, err := OpenAll(t.Context(), []string{"a", "c"}, open, how); err == nil || closed != 3 {
		t.Errorf("%d sources were closed, %v", closed, err)
	}
	broken := errors.New("broken")
	list["c"] = opened{file("t(t)=2"), &closed, nil, broken}
	if src, err = OpenAll(t.Context(), []string{"c", "a"}, open, how); err != nil {
		t.Fatal(err)
	}
	if err := src.Close(); !errors.Is(err, broken) || closed != 5 {
		t.Errorf("%d sources were closed, %v", closed, err)
	}
}

// TestPlainURL removes the parts of a URL that may be secret.
func TestPlainURL(t *testing.T) {
	for url, want := range map[string]string{
		"/a/b c": "/a/b c", "s3://b/a?region=x": "s3://b/a", "https://user:word@host/a%20b?key=secret": "https://host/a%20b", "https://user@host/a": "https://host/a",
		"a:b%zz?c": "a:b%zz", "https://host/a%20b": "https://host/a%20b",
	} {
		if got := plainURL(url); got != want {
			t.Errorf("%s becomes %s, want %s", url, got, want)
		}
	}
}
