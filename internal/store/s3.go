//go:build !nos3

package store

import (
	"context"
	"fmt"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"gocloud.dev/blob/s3blob"
)

// fallbackRegion signs requests to an endpoint of one's own when neither the
// URL nor the environment names a region.
const fallbackRegion = "us-east-1"

// s3Access is the hint for requests that are refused.
const s3Access = "check the AWS credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE, an instance's role) and what they allow in this bucket, or say anonymous=true for a public one"

// newS3 opens a bucket with a client of ours: nothing is repeated inside, and
// an upload sends the caller's bytes without copying them.
func newS3(ctx context.Context, at location) (*bucket, error) {
	settings, err := s3Settings(at.query)
	if err != nil {
		return nil, err
	}
	// The log lines of the client's own logger would bypass ours.
	load := append(settings.load, config.WithLogger(logging.Nop{}))
	cfg, err := config.LoadDefaultConfig(ctx, load...)
	if err != nil {
		return nil, err
	}
	if !settings.anonymous {
		if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
			return nil, fmt.Errorf("no usable AWS credentials: %w; %s", withoutURL(err), s3Access)
		}
	}
	if cfg.Region == "" && settings.endpoint != "" {
		cfg.Region = fallbackRegion
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = settings.pathStyle
		// Otherwise each read of an object without a checksum logs a warning.
		o.DisableLogOutputChecksumValidationSkipped = true
		if settings.endpoint != "" {
			o.BaseEndpoint = &settings.endpoint
		}
	})
	blobs, err := s3blob.OpenBucket(ctx, client, at.host, nil)
	if err != nil {
		return nil, err
	}
	return &bucket{at: at, blobs: blobs, uploader: newS3Uploader(client, at.host)}, nil
}

type s3Config struct {
	load      []func(*config.LoadOptions) error
	endpoint  string
	pathStyle bool
	anonymous bool
}

// s3Settings reads the query of the URL.
func s3Settings(query url.Values) (s3Config, error) {
	client := awshttp.NewBuildableClient().WithTransportOptions(prepare)
	c := s3Config{endpoint: query.Get("endpoint")}
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
	for name, target := range map[string]*bool{
		"anonymous": &c.anonymous, "use_path_style": &c.pathStyle, "s3ForcePathStyle": &c.pathStyle,
	} {
		if err := flag(query, name, target); err != nil {
			return c, err
		}
	}
	if c.anonymous {
		c.load = append(c.load, config.WithCredentialsProvider(aws.AnonymousCredentials{}))
	}
	return c.checksums(query)
}

// checksums reads the parameters that say when bodies carry checksums.
func (c s3Config) checksums(query url.Values) (s3Config, error) {
	const name1, name2 = "request_checksum_calculation", "response_checksum_validation"
	switch v := query.Get(name1); v {
	case "":
	case "when_supported":
		c.load = append(c.load, config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenSupported))
	case "when_required":
		c.load = append(c.load, config.WithRequestChecksumCalculation(aws.RequestChecksumCalculationWhenRequired))
	default:
		return c, fmt.Errorf("%s: want when_supported or when_required, not %q", name1, v)
	}
	switch v := query.Get(name2); v {
	case "":
	case "when_supported":
		c.load = append(c.load, config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenSupported))
	case "when_required":
		c.load = append(c.load, config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired))
	default:
		return c, fmt.Errorf("%s: want when_supported or when_required, not %q", name2, v)
	}
	return c, nil
}
