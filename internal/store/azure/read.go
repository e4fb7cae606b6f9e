//go:build !noazure

package azure

import (
	"context"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// value returns what p points at, or the zero value.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func (u *objects) Head(ctx context.Context, key string) (driver.Info, error) {
	out, err := u.container.NewBlobClient(key).GetProperties(ctx, nil)
	if err != nil {
		return driver.Info{}, err
	}
	tag := string(value(out.ETag))
	return driver.Info{Size: value(out.ContentLength), ModTime: value(out.LastModified), ETag: tag, Version: tag}, nil
}

func (u *objects) Get(ctx context.Context, key string, off, n int64) (*bucket.Object, error) {
	out, err := u.container.NewBlobClient(key).DownloadStream(ctx, &blob.DownloadStreamOptions{
		Range: blob.HTTPRange{Offset: off, Count: max(n, 0)}, // 0: to the end
	})
	if err != nil {
		return nil, err
	}
	size := int64(-1)
	if out.ContentLength != nil {
		size = *out.ContentLength
	}
	object := &bucket.Object{Body: out.Body, Size: remote.WholeSize(size, value(out.ContentRange)), Version: string(value(out.ETag))}
	if out.ContentRange == nil {
		object.Sums.Md5 = out.ContentMD5 // which is stored with the object
	}
	return object, nil
}

func (u *objects) ListPage(ctx context.Context, prefix string, folders bool, token string) (page bucket.Page, err error) {
	options := &container.ListBlobsHierarchyOptions{MaxResults: to.Ptr[int32](driver.ListPage), Prefix: &prefix}
	if token != "" {
		options.Marker = &token
	}
	delimiter := ""
	if folders {
		delimiter = "/"
	}
	out, err := u.container.NewListBlobsHierarchyPager(delimiter, options).NextPage(ctx)
	if err != nil {
		return page, err
	}
	if out.Segment == nil {
		return page, remote.NotGenuine(remote.AzureProvider, nil)
	}
	for _, o := range out.Segment.BlobItems {
		if o.Properties == nil || o.Properties.LastModified == nil || o.Properties.ContentLength == nil {
			return bucket.Page{}, bucket.Incomplete()
		}
		page.Objects = append(page.Objects, driver.Info{
			Key: value(o.Name), Size: *o.Properties.ContentLength, ModTime: *o.Properties.LastModified, Version: listedVersion(o.Properties.ETag),
		})
	}
	for _, o := range out.Segment.BlobPrefixes {
		page.Folders = append(page.Folders, value(o.Name))
	}
	page.Next = value(out.NextMarker)
	return page, nil
}

// listedVersion returns the ETag in quotes, which headers have and lists do not.
func listedVersion(tag *azcore.ETag) string {
	if tag == nil {
		return ""
	}
	return `"` + strings.Trim(string(*tag), `"`) + `"`
}

func (u *objects) Remove(ctx context.Context, key string) error {
	_, err := u.container.NewBlobClient(key).Delete(ctx, nil)
	return err
}
