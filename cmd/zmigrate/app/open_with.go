package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/internal/store"
	"github.com/zmigrate/zmigrate/jobs"
	"github.com/zmigrate/zmigrate/readers"
)

// opening is how Python opens a hierarchy.
type opening struct {
	function  string // the function of xarray, with an opening bracket; "": xarray does not open the hierarchy
	arguments string // all arguments after the first one, with the comma
	zarr      bool   // zarr.open opens every array
	why       string // the reason for these choices, for people; "": there is none to tell
}

// openingOf returns how Python opens what a plan writes.
func openingOf(arrays []jobs.PlannedArray) opening {
	how := opening{function: "xarray.open_zarr(", zarr: true}
	sizes := map[[2]string]int{} // by group and dimension
	refuse := func(x *jobs.PlannedArray, what string) {
		if how.function != "" {
			how.function, how.why = "", "xarray does not open "+what
			if x.Target != "" {
				how.why += " of " + x.Target
			}
		}
	}
	var times string
	for i := range arrays {
		x := &arrays[i]
		group := path.Dir(x.Target)
		if group != "." && how.function != "" { // open_zarr opens the root alone
			how.function, how.arguments = "xarray.open_groups(", `, engine="zarr"`
		}
		if x.Target == "" {
			refuse(x, "an array without a group")
		}
		plain := *x.Meta
		if why := readers.UndecodedTime(plain.Attributes); why != "" {
			times = why
			plain.Attributes = plain.Attributes.With("units", json.RawMessage("null"))
		}
		for _, by := range readers.All() {
			switch {
			case by.Name == "xarray":
				if refused, refuses := by.Refuses(&plain); refuses {
					refuse(x, refused.What)
				}
			case by.Name == "zarr-python" && by.Newest():
				_, refuses := by.Refuses(&plain)
				how.zarr = how.zarr && !refuses
			}
		}
		for k, name := range x.Meta.DimensionNames {
			at := [2]string{group, name}
			if n, known := sizes[at]; known && n != x.Meta.Grid.Shape[k] {
				refuse(x, "the dimension "+cmp.Or(name, "without a name")+", which has another length elsewhere,")
			}
			sizes[at] = x.Meta.Grid.Shape[k]
		}
	}
	if how.function != "" && times != "" {
		how.arguments += ", decode_times=False"
		how.why = "cftime cannot decode " + times
	}
	return how
}

// openWith returns the Python expression that opens a target. For a bucket it uses the
// names and options of fsspec (s3fs, gcsfs, adlfs). It is "" if there is no short
// expression.
func openWith(target string, how opening) string {
	text := expression(target, how)
	if text != "" && how.why != "" {
		text += "  # " + how.why
	}
	return text
}

func expression(target string, how opening) string {
	if store.Local(target) {
		whole := fmt.Sprintf("zarr.open(%q)", shown(target))
		switch opened := fmt.Sprintf("%s%q%s)", how.function, shown(target), how.arguments); {
		case how.function != "" && how.zarr:
			return opened + " or " + whole
		case how.function != "":
			return opened
		case how.zarr:
			return whole
		}
		return ""
	}
	if how.function == "" {
		return ""
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
		return fmt.Sprintf("%s%q%s)", how.function, at, how.arguments)
	}
	return fmt.Sprintf("%s%q%s, storage_options={%s})", how.function, at, how.arguments, strings.Join(options, ", "))
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
