//go:build !nos3 && !nogcs && !noazure

package store

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/limits"
)

// A server that answers everything with a page belongs to none of the providers. Nothing
// counts as stored there, and the error is transient.
func TestStrangers(t *testing.T) {
	for _, page := range []string{"<html>log in</html>", "", "{}", "<!DOCTYPE html><p>log in"} {
		for _, status := range []int{http.StatusOK, http.StatusCreated} {
			answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(status)
				_, _ = w.Write([]byte(page))
			})
			s3 := s3ServerBehind(t, func(http.Handler) http.Handler { return answer })
			for provider, s := range map[string]*Store{"S3": open(t, s3, Options{}), "Google Cloud Storage": gcsBehind(t, answer), "Azure": azureBehind(t, answer)} {
				impatient(s)
				for op, err := range map[string]error{
					"put": s.Put(t.Context(), "k", []byte("x")), "create": s.Create(t.Context(), "k", []byte("x")),
					"stat": second(s.Stat(t.Context(), "k")), "list": s.List(t.Context(), "", func(Info) error { return nil }),
					"read": second(s.ReadAll(t.Context(), "k", 100)), "range": s.ReadRange(t.Context(), "k", make([]byte, 2), 0),
					"upload": write(t.Context(), s, "k", random(1, 2*bucket.PartBytes), 2*bucket.PartBytes),
				} {
					if !limits.Passing(err) || !strings.Contains(err.Error(), "no "+provider+" server answers so") && page != "" {
						t.Errorf("%s: %d %q: %s: %v", provider, status, page, op, err)
					}
				}
			}
		}
	}
}

// An answer without the ETag of a part, or of a whole object, is not genuine, even if the
// server answers other requests as it should.
func TestStrangersInUploads(t *testing.T) {
	for _, strange := range []string{"PUT part 1", "POST upload"} {
		var times atomic.Int64
		s := open(t, s3ServerBehind(t, func(server http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if kind(r) == strange && times.Add(1) == 1 {
					return // 200
				}
				server.ServeHTTP(w, r)
			})
		}), Options{})
		impatient(s)
		data := random(1, 2*bucket.PartBytes)
		if err := write(t.Context(), s, "k", data, len(data)); err != nil || get(t, s, "k") != string(data) || times.Load() != 2 {
			t.Errorf("%s: %d requests, %v", strange, times.Load(), err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
