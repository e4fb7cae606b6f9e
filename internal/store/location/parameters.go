package location

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/internal/words"
)

// parameters are the names that the query of a URL may hold, by scheme. No value is a
// secret. The query of an HTTP URL belongs to the server and may hold anything.
var parameters = map[string][]string{
	"s3": {
		"region", "endpoint", "profile", "anonymous", "use_path_style", "s3ForcePathStyle",
		"request_checksum_calculation", "response_checksum_validation",
	},
	"gs":     {"anonymous"},
	"azblob": {"storage_account", "domain", "protocol", "localemu", "anonymous"},
}

// credentials says where credentials belong, by the scheme of a URL.
var credentials = map[string]string{
	"s3":     "set them in the environment or in a profile",
	"gs":     "set them in the environment",
	"azblob": "set them in the environment",
	"http":   signedOnly, "https": signedOnly,
	"file": "a file needs none", "mem": "memory needs none",
}

const signedOnly = "requests to a plain HTTP server carry no user name and no password; use a signed URL instead"

// setQuery reads the query of a URL.
func (l *Location) setQuery(raw string) error {
	if strings.HasPrefix(l.Scheme, "http") {
		if strings.Contains(raw, " ") {
			return errors.New("malformed query (not quoted here, it may hold a secret): percent-encode what is special in it")
		}
		l.Hidden = raw
		return nil
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return errors.New("malformed query")
	}
	known := parameters[l.Scheme]
	for key, values := range query {
		switch {
		case !slices.Contains(known, key) && strings.Trim(values[0], "=") == "":
			return errors.New("the query holds something without a value (not quoted here, it may hold a secret)")
		case !slices.Contains(known, key) && known == nil:
			return fmt.Errorf("unknown parameter %q in the query: such a URL has no parameters", key)
		case !slices.Contains(known, key):
			return fmt.Errorf("unknown parameter %q in the query: known are %s", key, strings.Join(known, ", "))
		case len(values) > 1:
			return fmt.Errorf("the parameter %s is given more than once", key)
		}
		if err := checkParameter(key, values[0]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	l.Query = query
	return nil
}

// hostLabel matches the name of a region, which becomes a part of the name of a server.
var hostLabel = words.Pattern(`^[A-Za-z0-9][A-Za-z0-9-]*$`)

const mostLabel = 63 // bytes of a label

// checkParameter refuses values that no place takes. It also refuses names of servers
// that could hold a secret.
func checkParameter(name, value string) error {
	switch name {
	case "anonymous", "use_path_style", "s3ForcePathStyle", "localemu":
		if _, err := strconv.ParseBool(value); err != nil {
			return fmt.Errorf("want true or false, not %q", value)
		}
	case "request_checksum_calculation", "response_checksum_validation":
		if value != "" && value != "when_supported" && value != "when_required" {
			return fmt.Errorf("want when_supported or when_required, not %q", value)
		}
	case "protocol":
		if value != "" && value != "http" && value != "https" {
			return fmt.Errorf("want http or https, not %q", value)
		}
	case "region":
		if value != "" && (len(value) > mostLabel || !hostLabel().MatchString(value)) {
			return fmt.Errorf("want a name such as eu-west-1, not %q", value)
		}
	case "storage_account", "domain":
		if strings.ContainsAny(value, "/@?#") {
			return errors.New("want a plain name (not quoted here, it may hold a secret)")
		}
	case "endpoint":
		return checkEndpoint(value)
	}
	return nil
}

func checkEndpoint(value string) error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("want a URL that begins with http:// or https://")
	case u.User != nil:
		return errors.New("credentials do not belong in a URL")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("want a URL without a query")
	}
	return nil
}

// Flag tells whether a parameter that is true or false is true.
func Flag(query url.Values, name string) bool {
	value, err := strconv.ParseBool(query.Get(name))
	return err == nil && value
}

var (
	// schemeAlone is the beginning of a URL that lacks its slashes.
	schemeAlone = regexp.MustCompile(`^(?i:file|mem|s3|gs|azblob|https?):`)
	drive       = regexp.MustCompile(`^[A-Za-z]:[\\/]`)
	// userAlone is the beginning of a URL with credentials that lacks its scheme.
	userAlone = regexp.MustCompile(`^(//|\\\\).*@`)
)

// checkPath refuses a bare path that is probably meant as a URL, or as a path of another
// operating system. Errors do not quote the path: it may hold a secret.
func checkPath(path, system string) error {
	if !strings.ContainsAny(path, ":@") {
		return nil
	}
	if scheme := strings.ToLower(schemeAlone.FindString(path)); scheme != "" {
		form := map[string]string{
			"file:": "file:///folder/name", "mem:": "mem://name/prefix", "s3:": "s3://bucket/prefix", "gs:": "gs://bucket/prefix",
			"azblob:": "azblob://container/prefix", "http:": "http://server/path", "https:": "https://server/path",
		}[scheme]
		return fmt.Errorf("a URL that begins with %q needs two slashes behind it: write %s, or ./%s… for a local path", scheme, form, scheme)
	}
	if userAlone.MatchString(path) {
		return errors.New("a path that begins with two slashes and a user is no URL (not quoted here, it may hold a password): write a URL with a scheme and without credentials, such as s3://bucket/prefix, or a single slash for a local path")
	}
	if system != "windows" && drive.MatchString(path) {
		return fmt.Errorf("%q begins a path of Windows, and this system is another: name the folder where that drive is mounted, or write ./%s… for a local path", path[:3], path[:2])
	}
	return nil
}

// FromURL returns the path of the operating system that the path of a file URL means. On Windows, it names a drive
// behind its first slash.
func FromURL(path, system string) string {
	if system == "windows" && drive.MatchString(strings.TrimPrefix(path, "/")) {
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

// schemeHint returns a hint for a scheme of other programs whose place has another scheme
// here.
func schemeHint(scheme string) string {
	ours := map[string]string{
		"s3a": "s3://bucket/prefix", "s3n": "s3://bucket/prefix", "gcs": "gs://bucket/prefix",
		"az": "azblob://container/prefix", "abfs": "azblob://container/prefix", "abfss": "azblob://container/prefix",
		"wasb": "azblob://container/prefix", "wasbs": "azblob://container/prefix", "memory": "mem://name/prefix",
	}[scheme]
	if ours == "" {
		return ""
	}
	return "write " + ours + "; "
}

// Digest returns a digest of those parameters of an HTTP query that may say which object
// the URL names, "" if there are none. Parameters that only sign a request are left out,
// because they change when the signature is renewed. The digest is too short to tell a
// secret.
func (l Location) Digest() string {
	var names []string
	present := map[string]bool{}
	pairs := strings.Split(l.Hidden, "&")
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		present[strings.ToLower(name)] = true
	}
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); pair != "" && (err != nil || !signs(strings.ToLower(name), present)) {
			names = append(names, pair)
		}
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(names, "&")))
	return hex.EncodeToString(sum[:4])
}

// signature matches the parameters of signed URLs of S3, Google Cloud Storage,
// CloudFront, Akamai, the stores of Alibaba, Tencent, Huawei and ByteDance, and names
// that other servers use for signatures.
var signature = words.Pattern(`^(x-amz-|x-goog-|response-)|^x-(oss|tos|obs)-(date|expires|algorithm|signedheaders|additional-headers)$` +
	`|^q-(ak|sign-algorithm|sign-time|key-time|header-list|url-param-list)$` +
	`|^(expires?|expiry|expiration|exp|policy|key-pair-id|keyname|hash-algorithm|sig|sign|hmac|nonce|jwt|hdn(ea|ts|tl)|__gda__|download)$` +
	`|signature|token|secret|passw|credential|api_?key|accesskeyid|googleaccessid|auth|session`)

// azureSignature matches the parameters that Azure sends with its signature, sig.
var azureSignature = words.Pattern(`^(s[ertvps]|si|sip|spr|srt|sdd|ses|scid|saoid|suoid|sk(oid|tid|t|e|s|v)|rsc[cdelt])$`)

// signs tells whether a parameter signs a request, or says how the answer is to be
// presented. All names, also those in present, are in lower case. If there is an
// "expires", md5 is the signature that nginx asks for.
func signs(name string, present map[string]bool) bool {
	return signature().MatchString(name) || present["sig"] && azureSignature().MatchString(name) || present["expires"] && name == "md5"
}
