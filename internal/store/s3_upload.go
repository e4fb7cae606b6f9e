package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const (
	// firstPart is the size of the first partsOfSize parts of an upload. S3
	// wants 5 MiB at least, but of the last part.
	firstPart = 8 << 20
	// After every partsOfSize parts their size doubles: 10,000 parts, the most
	// that S3 takes, hold more than the 5 TiB that an object may have.
	partsOfSize = 1000
	// lastDoubling keeps a part below S3's 5 GiB.
	lastDoubling = 9
)

// objectType is the content type of everything that is stored.
const objectType = "application/octet-stream"

// s3Uploader stores objects in an S3 bucket.
type s3Uploader struct {
	client   *s3.Client
	bucket   string
	checksum types.ChecksumAlgorithm // of the parts; "" without

	mu  sync.Mutex
	own map[string]bool // the IDs of uploads that are under way
}

func newS3Uploader(client *s3.Client, bucket string) *s3Uploader {
	u := &s3Uploader{client: client, bucket: bucket, own: make(map[string]bool)}
	// The client adds this checksum to objects and parts by itself, but does
	// not announce it for the parts of an upload.
	if client.Options().RequestChecksumCalculation != aws.RequestChecksumCalculationWhenRequired {
		u.checksum = types.ChecksumAlgorithmCrc32
	}
	return u
}

func (u *s3Uploader) whole(ctx context.Context, key string, data []byte, exclusive bool) error {
	in := &s3.PutObjectInput{
		Bucket:        &u.bucket,
		Key:           &key,
		Body:          bytes.NewReader(data),
		ContentLength: aws.Int64(int64(len(data))),
		ContentType:   aws.String(objectType),
	}
	if exclusive {
		in.IfNoneMatch = aws.String("*")
	}
	_, err := u.client.PutObject(ctx, in)
	if code := status(err); exclusive && (code == http.StatusPreconditionFailed || code == http.StatusConflict) {
		// 412: the object is there; 409: another upload of it was faster.
		return fmt.Errorf("%w (%w)", fs.ErrExist, err)
	}
	return err
}

// status is the HTTP status that an error tells of, or 0.
func status(err error) int {
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		return response.HTTPStatusCode()
	}
	return 0
}

func (u *s3Uploader) partSize(n int) int {
	return firstPart << min(n/partsOfSize, lastDoubling)
}

func (u *s3Uploader) start(ctx context.Context, key string) (upload, error) {
	out, err := u.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket:            &u.bucket,
		Key:               &key,
		ContentType:       aws.String(objectType),
		ChecksumAlgorithm: u.checksum,
	})
	if err != nil {
		return nil, err
	}
	id := aws.ToString(out.UploadId)
	if id == "" {
		return nil, errors.New("the server gave the upload no ID")
	}
	u.mu.Lock()
	u.own[id] = true
	u.mu.Unlock()
	return &s3Upload{to: u, key: key, id: id}, nil
}

// s3Upload is a multipart upload.
type s3Upload struct {
	to     *s3Uploader
	key    string
	id     string
	parts  []types.CompletedPart
	size   int64 // of the parts together
	closed bool  // a request to complete it has been sent
}

// part sends a part under the next number; the same number again replaces what
// was sent under it.
func (w *s3Upload) part(ctx context.Context, data []byte) error {
	number := aws.Int32(int32(len(w.parts) + 1))
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
	w.parts = append(w.parts, types.CompletedPart{
		PartNumber: number, ETag: out.ETag, ChecksumCRC32: out.ChecksumCRC32,
	})
	w.size += int64(len(data))
	return nil
}

// complete assembles the object. If the answer to an earlier request was lost,
// the upload is gone and the object has taken its place.
func (w *s3Upload) complete(ctx context.Context) error {
	again := w.closed
	w.closed = true
	_, err := w.to.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket:          &w.to.bucket,
		Key:             &w.key,
		UploadId:        &w.id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: w.parts},
	})
	if again && noUpload(err) && w.stored(ctx) {
		err = nil
	}
	if err == nil {
		w.forget()
	}
	return err
}

// stored tells whether an object of our size is there.
func (w *s3Upload) stored(ctx context.Context) bool {
	out, err := w.to.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &w.to.bucket, Key: &w.key})
	return err == nil && aws.ToInt64(out.ContentLength) == w.size
}

func (w *s3Upload) abort(ctx context.Context) error {
	err := w.to.abort(ctx, w.key, w.id)
	if err == nil {
		w.forget()
	}
	return err
}

func (w *s3Upload) forget() {
	w.to.mu.Lock()
	defer w.to.mu.Unlock()
	delete(w.to.own, w.id)
}

// abort drops an upload and its parts, if it is still there.
func (u *s3Uploader) abort(ctx context.Context, key, id string) error {
	_, err := u.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{
		Bucket: &u.bucket, Key: &key, UploadId: &id,
	})
	if noUpload(err) {
		return nil
	}
	return err
}

// noUpload tells whether a request failed because the upload is not there.
func noUpload(err error) bool {
	return status(err) == http.StatusNotFound
}

// sweep lists and aborts uploads page by page.
func (u *s3Uploader) sweep(_ context.Context, prefix string, do requester) error {
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
		case http.StatusNotFound: // some servers' answer when there are none
			return nil
		case http.StatusBadRequest, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented:
			return fmt.Errorf("%w: %w", errUnlisted, err)
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

func (u *s3Uploader) underWay(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.own[id]
}
