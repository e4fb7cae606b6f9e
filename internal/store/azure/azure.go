//go:build !noazure

package azure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

const (
	// access is the hint for refused requests.
	access = "check the Azure credentials (AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_CONNECTION_STRING, or those of az login, the environment or a managed identity) and what they allow in this container"
	// scope is the scope of tokens.
	scope = "https://storage.azure.com/.default"
)

// New opens a container. The client does not retry.
func New(ctx context.Context, at location.Location) (*bucket.Bucket, error) {
	client, err := openContainer(ctx, at)
	if err != nil {
		return nil, err
	}
	blobs, err := azureblob.OpenBucket(ctx, client, nil)
	if err != nil {
		return nil, err
	}
	return &bucket.Bucket{At: at, Blobs: blobs, Uploader: newUploader(client)}, nil
}

// openContainer makes the client. It looks for credentials in the order of gocloud.dev:
// a key, a shared access signature, a connection string, and then those that the Azure
// libraries find.
func openContainer(ctx context.Context, at location.Location) (*container.Client, error) {
	options := &container.ClientOptions{ClientOptions: policy.ClientOptions{
		Retry:     policy.RetryOptions{MaxRetries: -1},
		Transport: &http.Client{Transport: remote.NewGenuine(remote.AzureProvider, remote.NewTransport().RoundTrip)},
	}}
	anonymous := location.Flag(at.Query, "anonymous")
	key, connection := os.Getenv("AZURE_STORAGE_KEY"), os.Getenv("AZURE_STORAGE_CONNECTION_STRING")
	signature := os.Getenv("AZURE_STORAGE_SAS_TOKEN")
	if anonymous {
		key, signature, connection = "", "", ""
	}
	if key == "" && signature == "" && connection != "" {
		if len(at.Query) > 0 {
			return nil, errors.New("AZURE_STORAGE_CONNECTION_STRING and the query of the URL both name the account: use one of them")
		}
		client, err := container.NewClientFromConnectionString(connection, at.Host, options)
		if err != nil {
			return nil, errors.New("AZURE_STORAGE_CONNECTION_STRING is malformed (not quoted here, it holds a secret)")
		}
		return client, nil
	}
	account, service, err := serviceOf(at.Query, signature)
	if err != nil {
		return nil, err
	}
	target := strings.TrimSuffix(service, "/") + "/" + url.PathEscape(at.Host)
	switch {
	case key != "":
		credential, err := container.NewSharedKeyCredential(account, key)
		if err != nil {
			return nil, errors.New("AZURE_STORAGE_KEY is no key of a storage account: it is not base64")
		}
		return container.NewClientWithSharedKeyCredential(target, credential, options)
	case signature != "":
		return container.NewClientWithNoCredential(target+"?"+strings.TrimPrefix(signature, "?"), options)
	case anonymous:
		return container.NewClientWithNoCredential(target, options)
	}
	credential, err := azidentity.NewDefaultAzureCredential(nil)
	if err == nil {
		_, err = credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{scope}})
	}
	if err != nil {
		return nil, fmt.Errorf("no usable Azure credentials: %s; %s; %s", attempts(err), access, driver.Public)
	}
	return container.NewClient(target, credential, options)
}

// attempts returns what the error of a chain of credentials says of each credential. It
// leaves out the lines below, which quote requests and answers.
func attempts(err error) string {
	head, rest, _ := strings.Cut(err.Error(), "\n")
	var each []string
	for line := range strings.SplitSeq(rest, "\n") {
		if text, ok := strings.CutPrefix(line, "\t"); ok && !strings.HasPrefix(text, "\t") {
			each = append(each, strings.TrimRight(text, ". "))
		}
	}
	if len(each) == 0 {
		return head
	}
	return strings.Join(each, "; ")
}

// serviceOf returns the storage account and the URL of its service. The environment
// names both, and the query of a URL overrides the environment.
func serviceOf(query url.Values, signature string) (account, service string, err error) {
	environment := azureblob.NewDefaultServiceURLOptions()
	environment.SASToken = ""
	environment.IsLocalEmulator = environment.IsLocalEmulator || isAddress(environment.StorageDomain)
	asked := *environment
	for name, value := range map[string]*string{
		"storage_account": &asked.AccountName, "domain": &asked.StorageDomain, "protocol": &asked.Protocol,
	} {
		if query.Has(name) {
			*value = query.Get(name)
		}
	}
	asked.IsLocalEmulator = asked.IsLocalEmulator || isAddress(asked.StorageDomain)
	if query.Has("localemu") {
		asked.IsLocalEmulator = location.Flag(query, "localemu")
	}
	if asked.AccountName == "" {
		return "", "", errors.New("no storage account: set AZURE_STORAGE_ACCOUNT, or put storage_account=NAME into the query of the URL")
	}
	service, err = urlOf(&asked)
	if err != nil || signature == "" {
		return asked.AccountName, service, err
	}
	// A signature is for the server that the environment names. A URL must not send it
	// to another server.
	own, err := urlOf(environment)
	if err == nil && own != service {
		err = errors.New("AZURE_STORAGE_SAS_TOKEN is for the account and service that AZURE_STORAGE_ACCOUNT, AZURE_STORAGE_DOMAIN and AZURE_STORAGE_PROTOCOL name, and the query of the URL names another: change one of them")
	}
	return asked.AccountName, service, err
}

// isAddress tells whether a host, perhaps with a port, is an IP address. The name of an
// account cannot stand in front of an address.
func isAddress(host string) bool {
	u := url.URL{Host: host}
	_, err := netip.ParseAddr(u.Hostname())
	return err == nil
}

// urlOf returns the URL of a service.
func urlOf(options *azureblob.ServiceURLOptions) (string, error) {
	service, err := azureblob.NewServiceURL(options)
	if err != nil {
		return "", fmt.Errorf("protocol: want http or https: %w", err)
	}
	return string(service), nil
}

// Answer implements [bucket.Uploader].
func (u *uploader) Answer(err error) *driver.StatusError {
	if failed, ok := errors.AsType[*azidentity.AuthenticationFailedError](err); ok { // a token that has run out
		a := &driver.StatusError{Code: http.StatusUnauthorized, Cause: err}
		if failed.RawResponse != nil {
			a.Code, a.Pause = failed.RawResponse.StatusCode, driver.PauseOf(failed.RawResponse.Header)
		}
		return a.WithHint(access)
	}
	response, ok := errors.AsType[*azcore.ResponseError](err)
	if !ok {
		return nil
	}
	a := &driver.StatusError{Code: response.StatusCode, Name: response.ErrorCode, Cause: err}
	if response.RawResponse != nil {
		a.Pause = driver.PauseOf(response.RawResponse.Header)
	}
	if a.Code == http.StatusOK { // a success that the client does not understand
		return remote.NotGenuine(remote.AzureProvider, err)
	}
	if a.Name == "Md5Mismatch" || a.Name == "Crc64Mismatch" { // the body was damaged on the way
		a.Code = http.StatusRequestTimeout
	}
	return a.WithHint(access)
}

// Version returns the ETag.
func (u *uploader) Version(a *blob.Attributes) string { return a.ETag }

// ListedVersion returns the ETag in quotes, which headers have and lists do not.
func (u *uploader) ListedVersion(o *blob.ListObject) string {
	var item container.BlobItem
	if !o.As(&item) || item.Properties == nil || item.Properties.ETag == nil {
		return ""
	}
	return `"` + strings.Trim(string(*item.Properties.ETag), `"`) + `"`
}

func (u *uploader) ReadVersion(r *blob.Reader) string {
	var object azblob.DownloadStreamResponse
	if !r.As(&object) || object.ETag == nil {
		return ""
	}
	return string(*object.ETag)
}

// Sums returns the MD5 that is stored with an object. For a part of an object it returns
// nothing.
func (u *uploader) Sums(r *blob.Reader) remote.AnswerSums {
	var object azblob.DownloadStreamResponse
	if !r.As(&object) || object.ContentRange != nil {
		return remote.AnswerSums{}
	}
	return remote.AnswerSums{Md5: object.ContentMD5}
}
