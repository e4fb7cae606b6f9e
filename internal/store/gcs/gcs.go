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
	"strconv"
	"strings"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/gcp"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// access is the hint for refused requests.
const access = "check the application default credentials (GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login`, the machine's service account) and what they allow in this bucket"

// New opens a bucket. The client does not retry.
func New(ctx context.Context, at location.Location) (*bucket.Bucket, error) {
	service, client := "https://storage.googleapis.com", &http.Client{
		Transport: singleReads{remote.NewGenuine(remote.GcsProvider, remote.NewTransport().RoundTrip)},
		// The server answers 308, which is no redirect, if an upload is to go on.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	options := []option.ClientOption{option.WithHTTPClient(client)}
	switch emulator := os.Getenv("STORAGE_EMULATOR_HOST"); {
	case strings.Contains(emulator, "://"):
		service = strings.TrimSuffix(emulator, "/")
	case emulator != "":
		service = "http://" + emulator
	case location.Flag(at.Query, "anonymous"):
		options = append(options, option.WithoutAuthentication())
	default:
		// Tokens are renewed as long as the store is open, which may be longer than ctx.
		credentials, err := gcp.DefaultCredentials(context.WithoutCancel(ctx))
		if err != nil {
			return nil, fmt.Errorf("no usable Google credentials: %w; %s; %s", driver.WithoutURL(err), access, driver.Public)
		}
		client.Transport = &oauth2.Transport{Source: gcp.CredentialsTokenSource(credentials), Base: client.Transport}
	}
	google, err := storage.NewClient(ctx, options...)
	if err != nil {
		return nil, err
	}
	google.SetRetry(storage.WithPolicy(storage.RetryNever))
	blobs, err := gcsblob.OpenBucket(ctx, nil, at.Host, &gcsblob.Options{Client: google})
	if err != nil {
		return nil, errors.Join(err, google.Close())
	}
	return &bucket.Bucket{
		At:    at,
		Blobs: blobs,
		Raw:   &blob.ReaderOptions{BeforeRead: asStored},
		Uploader: &uploader{
			google:   google,
			bucket:   google.Bucket(at.Host),
			client:   client,
			sessions: service + "/upload/storage/v1/b/" + url.PathEscape(at.Host) + "/o",
		},
	}, nil
}

// asStored makes the server send objects with a Content-Encoding of gzip as they are
// stored, without decompressing them.
func asStored(as func(any) bool) error {
	var object **storage.ObjectHandle
	if as(&object) {
		*object = (*object).ReadCompressed(true)
	}
	return nil
}

// errBroken is the error of a read whose connection broke.
var errBroken = errors.New("the connection broke in the body")

// singleReads is a transport that allows one request for each read. When a connection
// breaks, the client would at once send a request for the rest of the bytes, even with
// retries turned off.
type singleReads struct{ http.RoundTripper }

func (t singleReads) RoundTrip(r *http.Request) (*http.Response, error) {
	if !bucket.FirstRequest(r.Context()) {
		return nil, errBroken
	}
	return t.RoundTripper.RoundTrip(r)
}

// nonsense tells whether the body of a success is not the expected JSON.
func nonsense(err error) bool {
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	return syntax || other
}

// Answer implements [bucket.Uploader].
func (u *uploader) Answer(err error) *driver.StatusError {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response != nil {
		a := &driver.StatusError{Code: refused.Response.StatusCode, Name: refused.ErrorCode, Pause: driver.PauseOf(refused.Response.Header), Cause: err}
		if !a.Transient() {
			a.Hint = access
		}
		return a
	}
	answer, ok := errors.AsType[*googleapi.Error](err)
	switch {
	case !ok && errors.Is(err, storage.ErrObjectNotExist): // the error of a read
		return &driver.StatusError{Code: http.StatusNotFound, Cause: err}
	case !ok && nonsense(err):
		return remote.NotGenuine(remote.GcsProvider, err)
	case !ok:
		return nil
	}
	a := &driver.StatusError{Code: answer.Code, Pause: driver.PauseOf(answer.Header), Cause: err}
	if len(answer.Errors) > 0 {
		a.Name = answer.Errors[0].Reason
	}
	if errors.Is(err, storage.ErrBucketNotExist) { // the answer has no reason for it
		a.Name = driver.NoBucket
	}
	return a.WithHint(access)
}

// Version returns the generation.
func (u *uploader) Version(a *blob.Attributes) string {
	var attributes storage.ObjectAttrs
	if !a.As(&attributes) {
		return ""
	}
	return generation(attributes.Generation)
}

func (u *uploader) ListedVersion(o *blob.ListObject) string {
	var attributes storage.ObjectAttrs
	if !o.As(&attributes) {
		return ""
	}
	return generation(attributes.Generation)
}

func (u *uploader) ReadVersion(r *blob.Reader) string {
	var object *storage.Reader
	if !r.As(&object) {
		return ""
	}
	return generation(object.Attrs.Generation)
}

func generation(number int64) string {
	if number <= 0 {
		return ""
	}
	return strconv.FormatInt(number, 10)
}

// Sum is the ability to tell a checksum. The server has a checksum of every object.
func (u *uploader) Sum(a *blob.Attributes) driver.Sum {
	var attributes storage.ObjectAttrs
	if !a.As(&attributes) || attributes.CRC32C == 0 { // 0: an emulator does not tell it
		return driver.Sum{}
	}
	return driver.Sum{Table: remote.Castagnoli, Value: attributes.CRC32C}
}
