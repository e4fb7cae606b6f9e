package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"

	"github.com/zmigrate/zmigrate/internal/store"
)

// objectsOf reads the list of objects.
func objectsOf(t *testing.T, j *Journal) []Object {
	t.Helper()
	var all []Object
	for o, err := range j.Objects(t.Context()) {
		must(t, err)
		all = append(all, o)
	}
	return all
}

func sequence(list []Object, last error) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		for _, o := range list {
			if !yield(o, nil) {
				return
			}
		}
		if last != nil {
			yield(Object{}, last)
		}
	}
}

// TestObjects follows the list of objects of a checkpoint through several jobs.
func TestObjects(t *testing.T) {
	st := open(t, "mem://bucket", store.Options{})
	first := []Object{{Key: "a/c/0", Bytes: 1 << 40, Sum: 0xffffffff, Version: `"v"`}, {Key: "a/c/1"}}
	second := []Object{{Key: "b", Bytes: 3}}
	record := json.RawMessage(`{"done":1}`)
	j := openJournal(t, st)
	for _, step := range []struct {
		name string
		do   func() error
		want []Object
		keys []string
	}{
		{"begin", func() error { return j.Begin(t.Context(), testPlan) }, nil, []string{planKey}},
		{"complete", func() error { return complete(t.Context(), j, record, sequence(first, nil)) }, first, []string{doneKey, objectsKey(1)}},
		{"succeed", func() error { return j.Succeed(t.Context(), testPlan) }, first, []string{objectsKey(1), planKey}},
		{"complete again", func() error { return complete(t.Context(), j, record, sequence(second, nil)) }, second, []string{doneKey, objectsKey(2)}},
		{"succeed again", func() error { return j.Succeed(t.Context(), testPlan) }, second, []string{objectsKey(2), planKey}},
		{"complete without a list", func() error { return complete(t.Context(), j, record, nil) }, second, []string{doneKey, objectsKey(2)}},
		{"reset", func() error { return j.Reset(t.Context()) }, nil, nil},
		{"begin again", func() error { return j.Begin(t.Context(), testPlan) }, nil, []string{planKey}},
		{"complete with no object", func() error { return complete(t.Context(), j, record, sequence(nil, nil)) }, nil, []string{doneKey, objectsKey(1)}},
	} {
		must(t, step.do())
		if diff := cmp.Diff(step.keys, listed(t, st)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		again := openJournal(t, st)
		if diff := cmp.Diff(again.objects, j.objects, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: numbers of lists (-there +known):\n%s", step.name, diff)
		}
		for _, j := range []*Journal{j, again} {
			if diff := cmp.Diff(step.want, objectsOf(t, j)); diff != "" || j.HasObjects() != strings.Contains(strings.Join(step.keys, " "), objects) {
				t.Errorf("%s: a list: %v (-want +got):\n%s", step.name, j.HasObjects(), diff)
			}
		}
	}
	for _, err := range j.Objects(t.Context()) { // ends before the last object
		must(t, err)
		break
	}
}

// TestObjectsThatFail completes a job whose list of objects fails. Nothing changes.
func TestObjectsThatFail(t *testing.T) {
	st := open(t, t.TempDir(), store.Options{})
	j := openJournal(t, st)
	must(t, j.Begin(t.Context(), testPlan))
	if err := complete(t.Context(), j, json.RawMessage(`{}`), sequence([]Object{{Key: "a"}}, errCrash)); !errors.Is(err, errCrash) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{planKey}, listed(t, st)); diff != "" || j.HasObjects() || j.Completed() != nil {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEarlierLists begins with lists of objects that failed completions have left.
func TestEarlierLists(t *testing.T) {
	st := open(t, "mem://bucket", store.Options{})
	for _, n := range []int{1, 3} {
		must(t, st.Put(t.Context(), objectsKey(n), nil))
	}
	j := openJournal(t, st)
	if !j.HasObjects() {
		t.Error("the lists are not seen")
	}
	must(t, j.Begin(t.Context(), testPlan))
	if diff := cmp.Diff([]string{planKey}, listed(t, st)); diff != "" || j.HasObjects() {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDamagedObjects reads lists of objects that are damaged.
func TestDamagedObjects(t *testing.T) {
	packed := func(text string) []byte {
		var b bytes.Buffer
		w, err := zstd.NewWriter(&b)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		must(t, errors.Join(err, w.Close()))
		return b.Bytes()
	}
	long := strings.Repeat("x", markerLimit)
	whole := packed(strings.Repeat(`{"k":"a"}`+"\n", 1000))
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"no line":          {packed("{\"k\":\"a\"}\n{"), "line 2: "},
		"the first line":   {packed("x"), "line 1: "},
		"not compressed":   {[]byte(`{"k":"a"}`), "magic"},
		"cut off":          {whole[:len(whole)-5], "EOF"},
		"a line too long":  {packed(`{"k":"` + long + `"}`), "too long"},
		"cannot be read":   {nil, errCrash.Error()},
		"a changed object": {append(whole[:len(whole)-1:len(whole)-1], whole[len(whole)-1]^1), "CRC"},
	} {
		st := open(t, "mem://bucket/c", store.Options{Retries: -1, Fault: func(op, key string) error {
			if op == "read" && key == objectsKey(2) && test.data == nil {
				return errCrash
			}
			return nil
		}})
		must(t, errors.Join(st.Put(t.Context(), doneKey, []byte("{}")), st.Put(t.Context(), objectsKey(2), test.data)))
		var failed error
		for _, err := range openJournal(t, st).Objects(t.Context()) {
			if failed != nil {
				t.Fatalf("%s: it goes on after %v", name, failed)
			}
			failed = err
		}
		if failed == nil || !strings.HasPrefix(failed.Error(), fmt.Sprintf("%s: %s: ", st.URL(), objectsKey(2))) || !strings.Contains(failed.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, failed, test.want)
		}
	}
}
