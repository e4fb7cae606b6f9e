//go:build !nos3

package store

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// mostCopied is the limit of S3 for a copy by one request.
func (u *s3Uploader) mostCopied() int64 { return 5 << 30 }

// copyFrom implements [copier]. A composite checksum, made of those of parts, is not the
// checksum of the object.
func (u *s3Uploader) copyFrom(ctx context.Context, bucket string, object Info, key string, when condition) (made Copied, known bool, err error) {
	in := &s3.CopyObjectInput{
		Bucket:            &u.bucket,
		Key:               &key,
		CopySource:        aws.String(pathEscapes.Replace(url.QueryEscape(bucket + "/" + object.Key))),
		ChecksumAlgorithm: types.ChecksumAlgorithmCrc32c,
	}
	in.IfNoneMatch, in.IfMatch = conditionHeaders(when)
	if object.Version != "" {
		in.CopySourceIfMatch = &object.Version
	}
	out, err := u.client.CopyObject(ctx, in)
	if err != nil || out.CopyObjectResult == nil {
		return made, false, err
	}
	made.Version = aws.ToString(out.CopyObjectResult.ETag)
	text, err := base64.StdEncoding.DecodeString(aws.ToString(out.CopyObjectResult.ChecksumCRC32C))
	if err != nil || len(text) != 4 || out.CopyObjectResult.ChecksumType == types.ChecksumTypeComposite {
		return made, false, nil
	}
	made.Sum = binary.BigEndian.Uint32(text)
	return made, true, nil
}
