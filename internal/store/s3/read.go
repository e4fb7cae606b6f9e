//go:build !nos3

package s3

import (
	"context"
	"crypto/md5" //nolint:gosec // the MD5 that the server compares or tells; it guards against accidents
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

func (u *objects) Head(ctx context.Context, key string) (driver.Info, error) {
	out, err := u.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &u.bucket, Key: &key})
	if err != nil {
		return driver.Info{}, err
	}
	tag := aws.ToString(out.ETag)
	return driver.Info{Size: aws.ToInt64(out.ContentLength), ModTime: aws.ToTime(out.LastModified), ETag: tag, Version: tag}, nil
}

func (u *objects) Get(ctx context.Context, key string, off, n int64) (*bucket.Object, error) {
	in := &s3.GetObjectInput{Bucket: &u.bucket, Key: &key}
	if n >= 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-%d", off, off+n-1))
	}
	out, err := u.client.GetObject(ctx, in)
	if err != nil {
		return nil, err
	}
	size := int64(-1)
	if out.ContentLength != nil {
		size = *out.ContentLength
	}
	return &bucket.Object{
		Body:    out.Body,
		Size:    remote.WholeSize(size, aws.ToString(out.ContentRange)),
		Version: aws.ToString(out.ETag),
		Sums:    sums(out),
	}, nil
}

// sums returns the ETag as a guess of the MD5. The ETag is the MD5 if the object was
// stored in one piece, and was not encrypted with a key of the user or of KMS. The client
// compares all other checksums itself.
func sums(object *s3.GetObjectOutput) remote.AnswerSums {
	if object.ChecksumType != "" || object.SSECustomerAlgorithm != nil || object.SSEKMSKeyId != nil || strings.HasPrefix(string(object.ServerSideEncryption), "aws:kms") {
		return remote.AnswerSums{}
	}
	for _, sum := range []*string{object.ChecksumCRC32, object.ChecksumCRC32C, object.ChecksumCRC64NVME, object.ChecksumSHA1, object.ChecksumSHA256} {
		if sum != nil {
			return remote.AnswerSums{}
		}
	}
	sum, err := hex.DecodeString(strings.Trim(aws.ToString(object.ETag), "\""))
	if err != nil || len(sum) != md5.Size {
		return remote.AnswerSums{}
	}
	return remote.AnswerSums{Md5: sum, Guess: true}
}

func (u *objects) ListPage(ctx context.Context, prefix string, folders bool, token string) (page bucket.Page, err error) {
	in := &s3.ListObjectsV2Input{Bucket: &u.bucket, MaxKeys: aws.Int32(driver.ListPage)}
	if prefix != "" {
		in.Prefix = &prefix
	}
	if folders {
		in.Delimiter = aws.String("/")
	}
	if token != "" {
		in.ContinuationToken = &token
	}
	out, err := u.client.ListObjectsV2(ctx, in)
	if err != nil {
		return page, err
	}
	for _, o := range out.Contents {
		if o.LastModified == nil || o.Size == nil {
			return bucket.Page{}, bucket.Incomplete()
		}
		page.Objects = append(page.Objects, driver.Info{Key: aws.ToString(o.Key), Size: *o.Size, ModTime: *o.LastModified, Version: aws.ToString(o.ETag)})
	}
	for _, o := range out.CommonPrefixes {
		page.Folders = append(page.Folders, aws.ToString(o.Prefix))
	}
	page.Next = aws.ToString(out.NextContinuationToken)
	return page, nil
}
