package app

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
)

// openWith returns the Python expression that opens a target. For a bucket it uses the
// names and options of fsspec (s3fs, gcsfs, adlfs). It is "" if there is no short
// expression.
func openWith(target string) string {
	if store.Local(target) {
		return fmt.Sprintf("xarray.open_zarr(%q) or zarr.open(%q)", shown(target), shown(target))
	}
	u, err := url.Parse(target)
	if err != nil {
		return ""
	}
	at := u.Host + u.Path
	var options []string
	switch q := u.Query(); u.Scheme {
	case "s3":
		at, options = "s3://"+at, s3fsOptions(q)
	case "gs":
		at = "gs://" + at
		if flagged(q, "anonymous") {
			options = []string{`"token": "anon"`}
		}
	case "azblob":
		account := q.Get("storage_account")
		if account == "" {
			account = os.Getenv("AZURE_STORAGE_ACCOUNT")
		}
		if account == "" || q.Has("domain") || q.Has("protocol") || q.Has("localemu") || os.Getenv("AZURE_STORAGE_DOMAIN") != "" {
			return "" // adlfs wants a connection string
		}
		at, options = "az://"+at, adlfsOptions(account, flagged(q, "anonymous"))
	default:
		return ""
	}
	if options == nil {
		return fmt.Sprintf("xarray.open_zarr(%q)", at)
	}
	return fmt.Sprintf("xarray.open_zarr(%q, storage_options={%s})", at, strings.Join(options, ", "))
}

// s3fsOptions returns the options of s3fs for the query of a URL.
func s3fsOptions(q url.Values) (options []string) {
	if flagged(q, "anonymous") {
		options = append(options, `"anon": True`)
	}
	for _, name := range [][2]string{{"profile", "profile"}, {"endpoint", "endpoint_url"}} {
		if value := q.Get(name[0]); value != "" {
			options = append(options, fmt.Sprintf("%q: %q", name[1], value))
		}
	}
	if region := q.Get("region"); region != "" {
		options = append(options, fmt.Sprintf(`"client_kwargs": {"region_name": %q}`, region))
	}
	if flagged(q, "use_path_style") || flagged(q, "s3ForcePathStyle") {
		options = append(options, `"config_kwargs": {"s3": {"addressing_style": "path"}}`)
	}
	return options
}

// adlfsOptions returns the options of adlfs, which does not read all variables of the
// environment that zmigrate reads.
func adlfsOptions(account string, anonymous bool) []string {
	options := []string{fmt.Sprintf(`"account_name": %q`, account)}
	switch {
	case anonymous:
		return append(options, `"anon": True`)
	case os.Getenv("AZURE_STORAGE_KEY") != "":
		return append(options, `"account_key": os.environ["AZURE_STORAGE_KEY"]`)
	case os.Getenv("AZURE_STORAGE_SAS_TOKEN") != "":
		return append(options, `"sas_token": os.environ["AZURE_STORAGE_SAS_TOKEN"]`)
	default:
		return append(options, `"anon": False`)
	}
}

// flagged tells whether a parameter is true.
func flagged(q url.Values, name string) bool {
	yes, err := strconv.ParseBool(q.Get(name))
	return err == nil && yes
}

// shown returns a local path relative to the working directory, if it lies below.
func shown(target string) string {
	if here, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(here, target); err == nil && filepath.IsLocal(short) {
			return short
		}
	}
	return target
}
