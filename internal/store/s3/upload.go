//go:build !nos3

package s3

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// objects makes the requests about the objects of an S3 bucket.
type objects struct {
	client   *s3.Client
	bucket   string
	checksum types.ChecksumAlgorithm // of bodies; "" for none

	mu  sync.Mutex
	own map[string]bool // the IDs of this store's uploads that are not finished
}

func newObjects(client *s3.Client, bucket string) *objects {
	u := &objects{client: client, bucket: bucket, own: make(map[string]bool)}
	if client.Options().RequestChecksumCalculation != aws.RequestChecksumCalculationWhenRequired {
		u.checksum = types.ChecksumAlgorithmCrc32c
	}
	return u
}

func (u *objects) PutWhole(ctx context.Context, key string, data []byte, when driver.Condition) (string, error) {
	in := &s3.PutObjectInput{
		Bucket:            &u.bucket,
		Key:               &key,
		Body:              bytes.NewReader(data),
		ContentLength:     aws.Int64(int64(len(data))),
		ContentType:       aws.String(bucket.ObjectType),
		ChecksumAlgorithm: u.checksum,
	}
	in.IfNoneMatch, in.IfMatch = conditionHeaders(when)
	out, err := u.client.PutObject(ctx, in)
	if err != nil {
		return "", u.conditionError(when, err)
	}
	version := aws.ToString(out.ETag)
	if version == "" {
		return "", remote.NotGenuine(remote.S3Provider, nil)
	}
	return version, nil
}

// conditionHeaders returns a condition as the headers If-None-Match and If-Match.
func conditionHeaders(when driver.Condition) (none, match *string) {
	if when.Absent {
		none = aws.String("*")
	}
	if when.Version != "" {
		match = &when.Version
	}
	return none, match
}

// conditionError turns the error of a condition that does not hold into a conflict. The
// answer is 412. Servers other than S3 also answer 409; the 409 of S3 is a transient
// error. If an object should have a version but does not exist, the answer is 404 with the
// name NoSuchKey. Other answers of 404 are about the bucket or the upload.
func (u *objects) conditionError(when driver.Condition, err error) error {
	code := status(err)
	switch {
	case when == driver.Condition{}:
		return err
	case code == http.StatusPreconditionFailed,
		code == http.StatusConflict && !u.Answer(err).Transient(),
		code == http.StatusNotFound && when.Version != "" && u.Answer(err).Name == "NoSuchKey":
		return driver.Conflict(err)
	}
	return err
}

// Remove deletes an object in one request.
func (u *objects) Remove(ctx context.Context, key string) error {
	_, err := u.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &u.bucket, Key: &key})
	return err
}

// Answer implements [bucket.Client]. Where the name of an error tells more than the status of
// the answer, the status is replaced by one that means the same as the name.
func (u *objects) Answer(err error) *driver.StatusError {
	a := driver.StatusError{Cause: err}
	var region string
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok && response.Response != nil {
		header := response.Response.Header
		a.Code, a.Pause, region = response.HTTPStatusCode(), driver.PauseOf(header), header.Get("X-Amz-Bucket-Region")
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() != "UnknownError" {
		a.Name = api.ErrorCode()
	}
	switch a.Name {
	case "SlowDown", "ServiceUnavailable", "Throttling", "ThrottlingException", "RequestLimitExceeded":
		a.Code = http.StatusServiceUnavailable
	case "InternalError":
		a.Code = http.StatusInternalServerError
	case "XAdminUserNotFound": // the 404 of VersityGW for an unknown user
		a.Code = http.StatusForbidden
	case "RequestTimeout", "IncompleteBody", "BadDigest",
		// Another request about the same object has not ended, such as an upload
		// whose answer was lost. The next attempt sees its result.
		"ConditionalRequestConflict", "OperationAborted":
		a.Code = http.StatusRequestTimeout
	case "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "PermanentRedirect":
		a.Hint = wrongRegion(region)
	}
	switch a.Code {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect:
		a.Hint = wrongRegion(region)
	}
	if a.Code/100 == 2 && !driver.Transient(err) { // a success that the client does not understand
		return remote.NotGenuine(remote.S3Provider, err)
	}
	if a.Code < 300 {
		return nil // no answer, or one that broke off
	}
	return a.WithHint(access)
}

// wrongRegion returns the hint for a bucket in another region; region is "" if unknown.
func wrongRegion(region string) string {
	if region == "" {
		return "the bucket is in another region; name it as region=NAME in the query of the URL"
	}
	return "the bucket is in another region; put region=" + region + " into the query of the URL"
}

// status returns the HTTP status of an error, or 0.
func status(err error) int {
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		return response.HTTPStatusCode()
	}
	return 0
}

func (u *objects) InOrder() bool { return false }

func (u *objects) PartSize(n int) int { return bucket.GrowingPart(n) }

func (u *objects) Start(ctx context.Context, key string, _ driver.Condition) (driver.Upload, error) {
	out, err := u.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket:            &u.bucket,
		Key:               &key,
		ContentType:       aws.String(bucket.ObjectType),
		ChecksumAlgorithm: u.checksum,
	})
	if err != nil {
		return nil, err
	}
	id := aws.ToString(out.UploadId)
	if id == "" {
		return nil, remote.NotGenuine(remote.S3Provider, nil)
	}
	u.mu.Lock()
	u.own[id] = true
	u.mu.Unlock()
	return &upload{to: u, key: key, id: id}, nil
}

// upload is a multipart upload.
type upload struct {
	to     *objects
	key    string
	id     string
	closed bool // a request to complete it has been sent

	mu    sync.Mutex
	parts []types.CompletedPart // in the order in which they were stored
	size  int64                 // of all parts together
}

// Part sends a part under its number. A part that is sent again replaces the earlier one
// with its number.
func (w *upload) Part(ctx context.Context, n int, data []byte) error {
	number := aws.Int32(int32(n + 1))
	out, err := w.to.client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket:            &w.to.bucket,
		Key:               &w.key,
		UploadId:          &w.id,
		PartNumber:        number,
		Body:              bytes.NewReader(data),
		ContentLength:     aws.Int64(int64(len(data))),
		ChecksumAlgorithm: w.to.checksum,
	})
	if err != nil {
		return err
	}
	if aws.ToString(out.ETag) == "" {
		return remote.NotGenuine(remote.S3Provider, nil)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parts = append(w.parts, types.CompletedPart{
		PartNumber: number, ETag: out.ETag, ChecksumCRC32C: out.ChecksumCRC32C,
	})
	w.size += int64(len(data))
	return nil
}

// Complete assembles the object. If the answer to an earlier attempt was lost, the upload
// no longer exists, and Complete looks for the object instead.
func (w *upload) Complete(ctx context.Context, when driver.Condition) (version string, err error) {
	again := w.closed
	w.closed = true
	slices.SortFunc(w.parts, func(a, b types.CompletedPart) int { return cmp.Compare(*a.PartNumber, *b.PartNumber) })
	none, match := conditionHeaders(when)
	out, err := w.to.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		IfNoneMatch:     none,
		IfMatch:         match,
		Bucket:          &w.to.bucket,
		Key:             &w.key,
		UploadId:        &w.id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: w.parts},
	})
	switch {
	case err == nil:
		if version = aws.ToString(out.ETag); version == "" {
			return "", remote.NotGenuine(remote.S3Provider, nil)
		}
	case again && noUpload(err):
		stored, found, headErr := w.stored(ctx)
		if stored || headErr != nil && status(headErr) != http.StatusNotFound {
			version, err = found, headErr
		}
	default:
		err = w.to.conditionError(when, err)
	}
	if err == nil {
		w.forget()
	}
	return version, err
}

// stored tells whether the key has an object of the upload's size, and returns the
// object's version.
func (w *upload) stored(ctx context.Context) (stored bool, version string, err error) {
	out, err := w.to.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &w.to.bucket, Key: &w.key})
	if err != nil {
		return false, "", err
	}
	return aws.ToInt64(out.ContentLength) == w.size, aws.ToString(out.ETag), nil
}

func (w *upload) Abort(ctx context.Context) error {
	w.forget() // if it fails, Sweep aborts the upload
	return w.to.abort(ctx, w.key, w.id)
}

func (w *upload) forget() {
	w.to.mu.Lock()
	defer w.to.mu.Unlock()
	delete(w.to.own, w.id)
}

// abort drops an upload and its parts, if the upload still exists.
func (u *objects) abort(ctx context.Context, key, id string) error {
	_, err := u.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{
		Bucket: &u.bucket, Key: &key, UploadId: &id,
	})
	if noUpload(err) {
		return nil
	}
	return err
}

// noUpload tells whether a request failed because the upload does not exist.
func noUpload(err error) bool {
	return status(err) == http.StatusNotFound
}

// Sweep lists and aborts uploads page by page.
func (u *objects) Sweep(_ context.Context, prefix string, do driver.Requester) error {
	pages := s3.NewListMultipartUploadsPaginator(u.client, &s3.ListMultipartUploadsInput{
		Bucket: &u.bucket, Prefix: &prefix,
	})
	for pages.HasMorePages() {
		var page *s3.ListMultipartUploadsOutput
		err := do("", func(ctx context.Context) (err error) {
			page, err = pages.NextPage(ctx)
			return err
		})
		switch status(err) {
		case http.StatusNotFound: // the answer of some servers if there are no uploads
			return nil
		case http.StatusBadRequest, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented:
			return fmt.Errorf("%w: %w", driver.ErrUnlisted, err)
		}
		if err != nil {
			return err
		}
		for _, left := range page.Uploads {
			key, id := aws.ToString(left.Key), aws.ToString(left.UploadId)
			if u.underWay(id) {
				continue
			}
			err := do(strings.TrimPrefix(key, prefix), func(ctx context.Context) error { return u.abort(ctx, key, id) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (u *objects) underWay(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.own[id]
}
