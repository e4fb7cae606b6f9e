package journal

import (
	"context"
	"fmt"
	"iter"
)

// HasObjects tells whether there is a list of objects. The list is that of the completed
// job or, if there is a plan, of the job before it.
func (j *Journal) HasObjects() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.objects) > 0
}

// Objects yields the list of objects, see HasObjects. Of several lines with one key
// the last counts. It ends after an error, which names the list and the line.
func (j *Journal) Objects(ctx context.Context) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		j.mu.Lock()
		key := ""
		if n := len(j.objects); n > 0 {
			key = objectsKey(j.objects[n-1])
		}
		j.mu.Unlock()
		if key == "" {
			return
		}
		data, err := j.st.ReadAll(ctx, key, objectsLimit)
		if err == nil {
			err = eachObject(data, func(o Object) bool { return yield(o, nil) })
		}
		if err != nil {
			yield(Object{}, fmt.Errorf("%s: %s: %w", j.st.URL(), key, err))
		}
	}
}

// List writes the list of objects of a job that is about to be complete, durably. It counts
// from Record on. Documents of the target may be written at the same time.
func (j *Journal) List(ctx context.Context, stored iter.Seq2[Object, error]) error {
	j.mu.Lock()
	number := 1
	if n := len(j.objects); n > 0 {
		number = j.objects[n-1] + 1
	}
	j.mu.Unlock()
	if err := putObjects(ctx, j.st, objectsKey(number), stored); err != nil {
		return err
	}
	if err := j.st.Sync(ctx); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.next = number
	return nil
}

// objectsKeys returns the keys of all lists of objects except the last but ones. The
// caller holds mu.
func (j *Journal) objectsKeys(but int) []string {
	var keys []string
	for _, n := range j.objects[:max(len(j.objects)-but, 0)] {
		keys = append(keys, objectsKey(n))
	}
	return keys
}
