package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// wheelPlatforms has the names of platforms in wheels. Go needs macOS 12.
func wheelPlatforms() map[platform]string {
	return map[platform]string{
		{"linux", "amd64"}:   "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
		{"linux", "arm64"}:   "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
		{"darwin", "amd64"}:  "macosx_12_0_x86_64",
		{"darwin", "arm64"}:  "macosx_12_0_arm64",
		{"windows", "amd64"}: "win_amd64",
	}
}

// wheels makes a wheel for each platform, with a Python that has hatchling; without one, none.
func (r *making) wheels(ctx context.Context, python string) error {
	if python == "" {
		return nil
	}
	python, err := filepath.Abs(python)
	if err != nil {
		return err
	}
	for _, p := range r.platforms {
		environment := append(os.Environ(), "ZMIGRATE_WHEEL_NOTICES="+filepath.Join(r.out, "THIRD-PARTY-NOTICES.txt"), "PYTHONDONTWRITEBYTECODE=1")
		if _, err := run(ctx, r.source, environment, python, filepath.Join("python", "wheel.py"), r.programs[p], r.out, wheelPlatforms()[p], r.version); err != nil {
			return err
		}
	}
	return nil
}

// recipes fills the formula of Homebrew and the recipe of conda-forge with the version and the
// checksums of this release.
func (r *making) recipes(context.Context) error {
	// Versions of conda have no hyphens.
	values := []string{"@CONDA_VERSION@", strings.ReplaceAll(strings.TrimPrefix(r.version, "v"), "-", "."), "@VERSION@", strings.TrimPrefix(r.version, "v"), "@TAG@", r.version}
	names := map[string]string{"@SHA256_SOURCE@": r.name() + "_source.tar.gz"}
	for _, p := range r.platforms {
		if p.system != "windows" {
			names["@SHA256_"+strings.ToUpper(p.system+"_"+p.arch)+"@"] = r.name() + "_" + p.system + "_" + p.arch + ".tar.gz"
		}
	}
	for key, name := range names {
		sum, err := checksum(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		values = append(values, key, sum)
	}
	for from, to := range map[string]string{"homebrew/zmigrate.rb.in": "zmigrate.rb", "recipe/recipe.yaml.in": "conda-recipe.yaml"} {
		text, err := os.ReadFile(filepath.Join(r.source, "packaging", from))
		if err != nil {
			return err
		}
		filled := strings.NewReplacer(values...).Replace(string(text))
		if err := os.WriteFile(filepath.Join(r.out, to), []byte(filled), 0o644); err != nil {
			return err
		}
	}
	return nil
}
