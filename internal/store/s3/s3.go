//go:build !nos3

package s3

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"

	"github.com/zmigrate/zmigrate/internal/store/bucket"
	"github.com/zmigrate/zmigrate/internal/store/driver"
	"github.com/zmigrate/zmigrate/internal/store/location"
	"github.com/zmigrate/zmigrate/internal/store/remote"
)

// fallbackRegion is the region in signatures of requests to an endpoint that is not
// AWS's, if neither the URL nor the environment names a region.
const fallbackRegion = "us-east-1"

// access is the hint for refused requests.
const access = "check the AWS credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE, an instance's role) and what they allow in this bucket"

// New opens a bucket. The client does not retry, and an upload sends the caller's
// bytes without copying them.
func New(ctx context.Context, at location.Location) (*bucket.Bucket, error) {
	settings := settingsOf(at.Query)
	// The log lines of the client's own logger would bypass ours.
	load := append(settings.load, config.WithLogger(logging.Nop{}))
	cfg, err := config.LoadDefaultConfig(ctx, load...)
	if _, ok := errors.AsType[config.SharedConfigProfileNotExistError](err); ok {
		return nil, fmt.Errorf("%w: profile=NAME in the query of the URL, or AWS_PROFILE, names a section of the shared AWS files, ~/.aws/config and ~/.aws/credentials unless AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name others", err)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case at.Host == "":
		return nil, errors.New("no name of a bucket")
	case cfg.Region != "":
	case settings.endpoint != "":
		cfg.Region = fallbackRegion
	default:
		return nil, errors.New("no region: put region=NAME with the bucket's region into the query of the URL, or set AWS_REGION")
	}
	if !settings.anonymous {
		if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
			if err := halfSet(); err != nil {
				return nil, fmt.Errorf("no usable AWS credentials: %w", err)
			}
			return nil, fmt.Errorf("no usable AWS credentials: %w; %s; %s", driver.WithoutURL(err), access, driver.Public)
		}
	}
	cfg.HTTPClient = remote.NewGenuine(remote.S3Provider, cfg.HTTPClient.Do)
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = settings.pathStyle
		if settings.endpoint != "" {
			o.BaseEndpoint = &settings.endpoint
		}
	})
	return &bucket.Bucket{At: at, Client: newObjects(client, at.Host)}, nil
}

// halfSet returns an error if the environment has only one half of an access key.
func halfSet() error {
	const id, key = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"
	switch hasID, hasKey := os.Getenv(id) != "", os.Getenv(key) != ""; {
	case hasID && !hasKey:
		return fmt.Errorf("%s is set, but %s is not: set both", id, key)
	case hasKey && !hasID:
		return fmt.Errorf("%s is set, but %s is not: set both", key, id)
	}
	return nil
}

type settings struct {
	load      []func(*config.LoadOptions) error
	endpoint  string
	pathStyle bool
	anonymous bool
}

// settingsOf reads the query of the URL, whose values have been checked.
func settingsOf(query url.Values) settings {
	client := awshttp.NewBuildableClient().WithTransportOptions(remote.ConfigureTransport)
	c := settings{endpoint: query.Get("endpoint")}
	c.load = []func(*config.LoadOptions) error{
		config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
		config.WithHTTPClient(client),
	}
	if region := query.Get("region"); region != "" {
		c.load = append(c.load, config.WithRegion(region))
	}
	if profile := query.Get("profile"); profile != "" {
		c.load = append(c.load, config.WithSharedConfigProfile(profile))
	}
	c.pathStyle = location.Flag(query, "use_path_style") || location.Flag(query, "s3ForcePathStyle")
	if c.anonymous = location.Flag(query, "anonymous"); c.anonymous {
		c.load = append(c.load, config.WithCredentialsProvider(aws.AnonymousCredentials{}))
	}
	switch query.Get("request_checksum_calculation") {
	case "when_supported":
		c.load = append(c.load, config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenSupported))
	case "when_required":
		c.load = append(c.load, config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired))
	}
	switch query.Get("response_checksum_validation") {
	case "when_supported":
		c.load = append(c.load, config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenSupported))
	case "when_required":
		c.load = append(c.load, config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired))
	}
	return c
}
