//go:build !nogcs

package gcs

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// MostCopied implements [bucket.Copier]. There is no limit.
func (u *objects) MostCopied() int64 { return math.MaxInt64 }

// CopyFrom implements [bucket.Copier]. The server may want several requests for a large
// object. Each answer but the last one has a token for the next request.
func (u *objects) CopyFrom(ctx context.Context, bucket string, object driver.Info, key string, when driver.Condition) (made driver.Copied, known bool, err error) {
	q := make(url.Values)
	setCondition(q, when)
	if number, ok := remote.Decimal(object.Version); ok {
		q.Set("sourceGeneration", strconv.FormatInt(number, 10))
	}
	target := u.object(bucket, object.Key) + "/rewriteTo" + strings.TrimPrefix(u.object(u.bucket, key), u.service+"/storage/v1")
	var said progress
	for !said.Done {
		said = progress{}
		_, err := u.ask(ctx, request{
			method: http.MethodPost,
			target: target + "?" + q.Encode(),
			header: http.Header{"Content-Type": {"application/json"}},
			body:   [][]byte{[]byte("{}")}, // the copy is described as the object is
		}, &said)
		if err != nil {
			return made, false, err
		}
		if !said.Done && said.Token == "" {
			return made, false, remote.NotGenuine(remote.GcsProvider, nil)
		}
		q.Set("rewriteToken", said.Token)
	}
	info, err := said.Resource.info()
	if err != nil {
		return made, false, remote.NotGenuine(remote.GcsProvider, err)
	}
	if info.Size != object.Size {
		return made, false, copySizeError(info.Size, object.Size)
	}
	sum := said.Resource.sum()
	return driver.Copied{Sum: sum.Value, Version: info.Version}, sum.Table != nil, nil
}

// progress is an answer about a copy.
type progress struct {
	Done     bool      `json:"done"`
	Token    string    `json:"rewriteToken"`
	Resource described `json:"resource"`
}

// copySizeError is the error of a copy that has another size than the object.
func copySizeError(got, want int64) error {
	return fmt.Errorf("the copy has %d bytes, the object %d: has somebody replaced it?", got, want)
}
