//go:build !noazure

package azure

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the MD5 that the server compares or tells; it guards against accidents
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/minio/crc64nvme"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// objects makes the requests about the objects of a container of Azure.
type objects struct {
	container *container.Client
	md5       bool // bodies have an MD5, in place of a CRC-64
}

// newObjects sends each body with its CRC-64/NVME. Emulators do not know that
// checksum; they get an MD5, which is slow. An emulator has the account in the path of
// its URL.
func newObjects(client *container.Client) *objects {
	at, err := url.Parse(client.URL())
	return &objects{client, err == nil && strings.Count(at.Path, "/") > 1}
}

func (u *objects) InOrder() bool { return false }

func (u *objects) PartSize(n int) int { return bucket.GrowingPart(n) }

// Sweep has nothing to do: Azure has no request that drops the blocks of an upload that
// was given up. The blocks are in no list. Azure drops them after a week, or as soon as
// the object is stored again.
func (u *objects) Sweep(context.Context, string, driver.Requester) error { return nil }

// body returns the body of a request, without copying data, and the checksum that the
// server compares.
func (u *objects) body(data []byte) (io.ReadSeekCloser, blob.TransferValidationType) {
	r := streaming.NopCloser(bytes.NewReader(data))
	if u.md5 {
		sum := md5.Sum(data) //nolint:gosec // as above
		return r, blob.TransferValidationTypeMD5(sum[:])
	}
	return r, blob.TransferValidationTypeCRC64(crc64nvme.Checksum(data))
}

func (u *objects) PutWhole(ctx context.Context, key string, data []byte, when driver.Condition) (string, error) {
	options := &blockblob.UploadOptions{HTTPHeaders: objectHeaders(), AccessConditions: accessConditions(when)}
	r, sum := u.body(data)
	options.TransactionalValidation = sum
	out, err := u.container.NewBlockBlobClient(key).Upload(ctx, r, options)
	return storedVersion(out.ETag, err)
}

// accessConditions returns a condition in the form of Azure; nil for none.
func accessConditions(when driver.Condition) *blob.AccessConditions {
	var modified blob.ModifiedAccessConditions
	switch {
	case when.Absent:
		every := azcore.ETagAny
		modified.IfNoneMatch = &every
	case when.Version != "":
		version := azcore.ETag(when.Version)
		modified.IfMatch = &version
	default:
		return nil
	}
	return &blob.AccessConditions{ModifiedAccessConditions: &modified}
}

// storedVersion returns the version of the object that a request has stored, or the
// error.
func storedVersion(etag *azcore.ETag, err error) (string, error) {
	switch {
	case bloberror.HasCode(err, bloberror.BlobAlreadyExists, bloberror.ConditionNotMet, bloberror.TargetConditionNotMet):
		return "", driver.Conflict(err)
	case err != nil:
		return "", err
	case etag == nil:
		return "", remote.NotGenuine(remote.AzureProvider, nil)
	}
	return string(*etag), nil
}

func objectHeaders() *blob.HTTPHeaders {
	kind := bucket.ObjectType
	return &blob.HTTPHeaders{BlobContentType: &kind}
}

func (u *objects) Start(_ context.Context, key string, _ driver.Condition) (driver.Upload, error) {
	w := &upload{to: u, object: u.container.NewBlockBlobClient(key)}
	_, _ = rand.Read(w.id[:]) // never fails
	return w, nil
}

// upload is an object in blocks. The blocks become the object all at once. All
// blocks of a key must have names of the same length; id makes the names of this upload
// unique.
type upload struct {
	to     *objects
	object *blockblob.Client
	id     [12]byte
	blocks atomic.Int64 // that the server has
}

// block returns the name of block n.
func (w *upload) block(n int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%x-%07d", w.id, n))
}

func (w *upload) Part(ctx context.Context, n int, data []byte) error {
	r, sum := w.to.body(data)
	_, err := w.object.StageBlock(ctx, w.block(n), r, &blockblob.StageBlockOptions{TransactionalValidation: sum})
	if err == nil {
		w.blocks.Add(1)
	}
	return err
}

// Complete may be repeated: it also finds blocks that are part of the object already.
func (w *upload) Complete(ctx context.Context, when driver.Condition) (string, error) {
	blocks := make([]string, w.blocks.Load())
	for n := range blocks {
		blocks[n] = w.block(n)
	}
	out, err := w.object.CommitBlockList(ctx, blocks, &blockblob.CommitBlockListOptions{HTTPHeaders: objectHeaders(), AccessConditions: accessConditions(when)})
	return storedVersion(out.ETag, err)
}

// Abort leaves the blocks to Azure, see Sweep.
func (w *upload) Abort(context.Context) error { return nil }
