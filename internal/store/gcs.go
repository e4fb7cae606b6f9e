//go:build !nogcs

package store

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
	"sync/atomic"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/gcp"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
)

// gcsAccess is the hint for refused requests.
const gcsAccess = "check the application default credentials (GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login`, the machine's service account) and what they allow in this bucket, or say anonymous=true for a public one"

// newGCS opens a bucket. The client does not retry.
func newGCS(ctx context.Context, at location) (*bucket, error) {
	service, client := "https://storage.googleapis.com", &http.Client{
		Transport: singleReads{genuine{gcsProvider, newTransport().RoundTrip}},
		// The server answers 308, which is no redirect, if an upload is to go on.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	options := []option.ClientOption{option.WithHTTPClient(client)}
	switch emulator := os.Getenv("STORAGE_EMULATOR_HOST"); {
	case strings.Contains(emulator, "://"):
		service = strings.TrimSuffix(emulator, "/")
	case emulator != "":
		service = "http://" + emulator
	case flag(at.query, "anonymous"):
		options = append(options, option.WithoutAuthentication())
	default:
		// Tokens are renewed as long as the store is open, which may be longer than ctx.
		credentials, err := gcp.DefaultCredentials(context.WithoutCancel(ctx))
		if err != nil {
			return nil, fmt.Errorf("no usable Google credentials: %w; %s", withoutURL(err), gcsAccess)
		}
		client.Transport = &oauth2.Transport{Source: gcp.CredentialsTokenSource(credentials), Base: client.Transport}
	}
	google, err := storage.NewClient(ctx, options...)
	if err != nil {
		return nil, err
	}
	google.SetRetry(storage.WithPolicy(storage.RetryNever))
	blobs, err := gcsblob.OpenBucket(ctx, nil, at.host, &gcsblob.Options{Client: google})
	if err != nil {
		return nil, errors.Join(err, google.Close())
	}
	return &bucket{
		at:    at,
		blobs: blobs,
		raw:   &blob.ReaderOptions{BeforeRead: asStored},
		uploader: &gcsUploader{
			google:   google,
			bucket:   google.Bucket(at.host),
			client:   client,
			sessions: service + "/upload/storage/v1/b/" + url.PathEscape(at.host) + "/o",
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
	if made, ok := r.Context().Value(readKey{}).(*atomic.Bool); ok && made.Swap(true) {
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

// answer implements [uploader].
func (u *gcsUploader) answer(err error) *statusError {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response != nil {
		a := &statusError{code: refused.Response.StatusCode, name: refused.ErrorCode, pause: pauseOf(refused.Response.Header), cause: err}
		if !a.transient() {
			a.hint = gcsAccess
		}
		return a
	}
	answer, ok := errors.AsType[*googleapi.Error](err)
	switch {
	case !ok && errors.Is(err, storage.ErrObjectNotExist): // the error of a read
		return &statusError{code: http.StatusNotFound, cause: err}
	case !ok && nonsense(err):
		return notGenuine(gcsProvider, err)
	case !ok:
		return nil
	}
	a := &statusError{code: answer.Code, pause: pauseOf(answer.Header), cause: err}
	if len(answer.Errors) > 0 {
		a.name = answer.Errors[0].Reason
	}
	if errors.Is(err, storage.ErrBucketNotExist) { // the answer has no reason for it
		a.name = noBucket
	}
	return a.withHint(gcsAccess)
}

// version returns the generation.
func (u *gcsUploader) version(a *blob.Attributes) string {
	var attributes storage.ObjectAttrs
	if !a.As(&attributes) {
		return ""
	}
	return generation(attributes.Generation)
}

func (u *gcsUploader) listedVersion(o *blob.ListObject) string {
	var attributes storage.ObjectAttrs
	if !o.As(&attributes) {
		return ""
	}
	return generation(attributes.Generation)
}

func (u *gcsUploader) readVersion(r *blob.Reader) string {
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

// sum implements [statSummed]. The server has a checksum of every object.
func (u *gcsUploader) sum(a *blob.Attributes) Sum {
	var attributes storage.ObjectAttrs
	if !a.As(&attributes) || attributes.CRC32C == 0 { // 0: an emulator does not tell it
		return Sum{}
	}
	return Sum{castagnoli, attributes.CRC32C}
}
