//go:build !nos3

package s3

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// MostCopied is the limit of S3 for a copy by one request.
func (u *objects) MostCopied() int64 { return 5 << 30 }

// CopyFrom implements [bucket.Copier]. A composite checksum, made of those of parts, is not the
// checksum of the object.
func (u *objects) CopyFrom(ctx context.Context, bucket string, object driver.Info, key string, when driver.Condition) (made driver.Copied, known bool, err error) {
	in := &s3.CopyObjectInput{
		Bucket:            &u.bucket,
		Key:               &key,
		CopySource:        aws.String(remote.PathEscapes.Replace(url.QueryEscape(bucket + "/" + object.Key))),
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
