//go:build !noazure

package azure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

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
	return &bucket.Bucket{At: at, Client: newObjects(client)}, nil
}

// openContainer makes the client. It looks for credentials in this order: a key, a shared access signature, a connection string, and then those that the Azure
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
	account, origin, err := serviceOf(at.Query, signature)
	if err != nil {
		return nil, err
	}
	target := strings.TrimSuffix(origin, "/") + "/" + url.PathEscape(at.Host)
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
func serviceOf(query url.Values, signature string) (account, target string, err error) {
	environment := environmentService()
	asked := environment
	for name, value := range map[string]*string{
		"storage_account": &asked.account, "domain": &asked.domain, "protocol": &asked.protocol,
	} {
		if query.Has(name) {
			*value = query.Get(name)
		}
	}
	asked.emulator = asked.emulator || isAddress(asked.domain)
	if query.Has("localemu") {
		asked.emulator = location.Flag(query, "localemu")
	}
	if asked.account == "" {
		return "", "", errors.New("no storage account: set AZURE_STORAGE_ACCOUNT, or put storage_account=NAME into the query of the URL")
	}
	target, err = asked.url()
	if err != nil || signature == "" {
		return asked.account, target, err
	}
	// A signature is for the server that the environment names. A URL must not send it
	// to another server.
	own, err := environment.url()
	if err == nil && own != target {
		err = errors.New("AZURE_STORAGE_SAS_TOKEN is for the account and service that AZURE_STORAGE_ACCOUNT, AZURE_STORAGE_DOMAIN and AZURE_STORAGE_PROTOCOL name, and the query of the URL names another: change one of them")
	}
	return asked.account, target, err
}

// isAddress tells whether a host, perhaps with a port, is an IP address. The name of an
// account cannot stand in front of an address.
func isAddress(host string) bool {
	u := url.URL{Host: host}
	_, err := netip.ParseAddr(u.Hostname())
	return err == nil
}

// service says where the service of a storage account is.
type service struct {
	account, domain, protocol string
	cdn                       bool // the domain is that of one account
	emulator                  bool // the account is in the path of the URL
}

// environmentService returns the service that the environment names. A connection string
// names the account and the protocol, unless other variables name them.
func environmentService() service {
	s := service{
		account:  os.Getenv("AZURE_STORAGE_ACCOUNT"),
		domain:   os.Getenv("AZURE_STORAGE_DOMAIN"),
		protocol: os.Getenv("AZURE_STORAGE_PROTOCOL"),
	}
	s.cdn, _ = strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_CDN"))
	s.emulator, _ = strconv.ParseBool(os.Getenv("AZURE_STORAGE_IS_LOCAL_EMULATOR"))
	s.emulator = s.emulator || isAddress(s.domain)
	connection := cmp.Or(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), os.Getenv("AZURE_STORAGEBLOB_CONNECTIONSTRING"))
	for part := range strings.SplitSeq(connection, ";") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "AccountName":
			s.account = cmp.Or(s.account, value)
		case "DefaultEndpointsProtocol":
			s.protocol = cmp.Or(s.protocol, value)
		}
	}
	return s
}

func (s service) url() (string, error) {
	protocol, domain := cmp.Or(s.protocol, "https"), cmp.Or(s.domain, "blob.core.windows.net")
	switch {
	case protocol != "http" && protocol != "https":
		return "", fmt.Errorf("protocol: want http or https: invalid protocol %q", protocol)
	case s.emulator || strings.HasPrefix(domain, "127.0.0.1") || strings.HasPrefix(domain, "localhost"):
		return protocol + "://" + domain + "/" + s.account, nil
	case s.cdn:
		return protocol + "://" + domain, nil
	}
	return protocol + "://" + s.account + "." + domain, nil
}

// Answer implements [bucket.Client].
func (u *objects) Answer(err error) *driver.StatusError {
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
