//go:build !nogcs

package gcs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

const (
	// access is the hint for refused requests.
	access = "check the application default credentials (GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login`, the machine's service account) and what they allow in this bucket"
	// scope is the scope of tokens.
	scope = "https://www.googleapis.com/auth/cloud-platform"
)

// New opens a bucket. The client does not retry.
func New(ctx context.Context, at location.Location) (*bucket.Bucket, error) {
	if at.Host == "" {
		return nil, errors.New("no name of a bucket")
	}
	service, client := "https://storage.googleapis.com", &http.Client{
		Transport: remote.NewGenuine(remote.GcsProvider, remote.NewTransport().RoundTrip),
		// The server answers 308, which is no redirect, if an upload is to go on.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	switch emulator := os.Getenv("STORAGE_EMULATOR_HOST"); {
	case strings.Contains(emulator, "://"):
		service = strings.TrimSuffix(emulator, "/")
	case emulator != "":
		service = "http://" + emulator
	case location.Flag(at.Query, "anonymous"):
	default:
		// Tokens are renewed as long as the store is open, which may be longer than ctx.
		credentials, err := google.FindDefaultCredentials(context.WithoutCancel(ctx), scope)
		if err != nil {
			return nil, fmt.Errorf("no usable Google credentials: %w; %s; %s", driver.WithoutURL(err), access, driver.Public)
		}
		client.Transport = &oauth2.Transport{Source: credentials.TokenSource, Base: client.Transport}
	}
	if _, err := url.Parse(service); err != nil {
		return nil, fmt.Errorf("STORAGE_EMULATOR_HOST is no URL and no name of a host: %w", driver.WithoutURL(err))
	}
	return &bucket.Bucket{At: at, Client: &objects{client: client, service: service, bucket: at.Host}}, nil
}

// Answer implements [bucket.Client].
func (u *objects) Answer(err error) *driver.StatusError {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response != nil {
		a := &driver.StatusError{Code: refused.Response.StatusCode, Name: refused.ErrorCode, Pause: driver.PauseOf(refused.Response.Header), Cause: err}
		if !a.Transient() {
			a.Hint = access
		}
		return a
	}
	answer, ok := errors.AsType[*refusal](err)
	if !ok {
		return nil
	}
	a := &driver.StatusError{Code: answer.code, Name: answer.reason, Pause: driver.PauseOf(answer.header), Cause: err}
	if errors.Is(err, errNoBucket) { // the answer has no reason for it
		a.Name = driver.NoBucket
	}
	return a.WithHint(access)
}

// errNoBucket says that a bucket does not exist.
var errNoBucket = errors.New("there is no such bucket")

// aboutBucket returns the error of a request to which a 404 means that the bucket does not
// exist.
func aboutBucket(err error) error {
	if answer, ok := errors.AsType[*refusal](err); ok && answer.code == http.StatusNotFound {
		return fmt.Errorf("%w: %w", errNoBucket, err)
	}
	return err
}

// refusal is an answer that is no success.
type refusal struct {
	code    int
	header  http.Header
	reason  string // "" if the answer has none
	message string
}

func (r *refusal) Error() string {
	text := fmt.Sprintf("the server answers %d %s", r.code, http.StatusText(r.code))
	if r.message != "" {
		text += ": " + r.message
	}
	return text
}

// refused reads an answer that is no success. The body may be something else than JSON.
func refused(answer *http.Response, body []byte) *refusal {
	r := &refusal{code: answer.StatusCode, header: answer.Header}
	var said struct {
		Error struct {
			Message string `json:"message"`
			Errors  []struct {
				Reason string `json:"reason"`
			} `json:"errors"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil {
		return r
	}
	r.message = said.Error.Message
	if len(said.Error.Errors) > 0 {
		r.reason = said.Error.Errors[0].Reason
	}
	return r
}
