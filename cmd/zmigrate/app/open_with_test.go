package app

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenWith(t *testing.T) {
	for _, name := range []string{"AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_DOMAIN"} {
		t.Setenv(name, "")
	}
	t.Chdir(t.TempDir())
	for target, want := range map[string]string{
		"x.zarr":                           `xarray.open_zarr("x.zarr") or zarr.open("x.zarr")`,
		"mem://x/y":                        "",
		"s3://b/x.zarr":                    `xarray.open_zarr("s3://b/x.zarr")`,
		"s3://b/x?anonymous=1&region=eu-1": `xarray.open_zarr("s3://b/x", storage_options={"anon": True, "client_kwargs": {"region_name": "eu-1"}})`,
		"s3://b/x?profile=p&endpoint=http%3A%2F%2Fh%3A9&use_path_style=true": `xarray.open_zarr("s3://b/x", storage_options={"profile": "p", "endpoint_url": "http://h:9", "config_kwargs": {"s3": {"addressing_style": "path"}}})`,
		"gs://b/x":                                      `xarray.open_zarr("gs://b/x")`,
		"gs://b/x?anonymous=true":                       `xarray.open_zarr("gs://b/x", storage_options={"token": "anon"})`,
		"azblob://c/x?storage_account=a":                `xarray.open_zarr("az://c/x", storage_options={"account_name": "a", "anon": False})`,
		"azblob://c/x":                                  "",
		"azblob://c/x?storage_account=a&domain=":        "",
		"azblob://c/x?storage_account=a&anonymous=true": `xarray.open_zarr("az://c/x", storage_options={"account_name": "a", "anon": True})`,
	} {
		if got := filepath.ToSlash(openWith(target, opening{function: "xarray.open_zarr(", zarr: true})); got != want {
			t.Errorf("%s: %s", target, got)
		}
	}
	t.Setenv("AZURE_STORAGE_ACCOUNT", "a")
	t.Setenv("AZURE_STORAGE_KEY", "hunter2")
	if got := openWith("azblob://c/x", opening{function: "xarray.open_zarr("}); !strings.Contains(got, `os.environ["AZURE_STORAGE_KEY"]`) || strings.Contains(got, "hunter2") {
		t.Error(got)
	}
}
