package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// trackedFiles returns the files of the repository, with slashes. Without git, these are all
// files below it but those in folders with hidden names.
func trackedFiles(t *testing.T) (files []string) {
	t.Helper()
	git := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	git.Dir = ".."
	if out, err := git.Output(); err == nil && len(out) > 0 {
		return strings.Split(strings.Trim(string(out), "\x00"), "\x00")
	}
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.Type().IsRegular():
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// secret is what a credential of a provider looks like.
type secret struct {
	pattern *regexp.Regexp
	words   []string // one of them is in each text that matches; they are quick to look for
}

var secrets = map[string]secret{
	"an access key of AWS":          {regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`), []string{"AKIA", "ASIA"}},
	"a secret key of AWS":           {regexp.MustCompile(`(aws_secret_access_key|AWS_SECRET_ACCESS_KEY|SecretAccessKey)["\']?\s*[=:]\s*["\']?[A-Za-z0-9/+]{40}\b`), []string{"ecret_access_key", "SECRET_ACCESS_KEY", "SecretAccessKey"}},
	"a private key":                 {regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`), []string{"PRIVATE KEY-----"}},
	"a service account of Google":   {regexp.MustCompile(`"private_key_id"\s*:\s*"[0-9a-f]{40}"`), []string{"private_key_id"}},
	"a token or key of Google":      {regexp.MustCompile(`\b(ya29\.[0-9A-Za-z_-]{40,}|AIza[0-9A-Za-z_-]{35})\b`), []string{"ya29.", "AIza"}},
	"a key of an Azure account":     {regexp.MustCompile(`(AccountKey|AZURE_STORAGE_KEY["\']?)\s*[=:]\s*["\']?[A-Za-z0-9+/]{86}==`), []string{"AccountKey", "AZURE_STORAGE_KEY"}},
	"a shared access signature":     {regexp.MustCompile(`[?&]sig=[A-Za-z0-9%]{43,}%3[dD]`), []string{"sig="}},
	"a token of GitHub or GitLab":   {regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,}|glpat-[\w-]{20})\b`), []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"}},
	"a token of Slack":              {regexp.MustCompile(`\bxox[abprs]-[0-9A-Za-z-]{20,}`), []string{"xox"}},
	"a JSON web token":              {regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}`), []string{".eyJ"}},
	"a password in a URL":           {regexp.MustCompile(`\b(https?|s3)://[^/\s:@"\'\x60]+:[^/\s:@"\'\x60$<{]{6,}@[a-z0-9]`), []string{"://"}},
	"a token of a package registry": {regexp.MustCompile(`\b(npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,})\b`), []string{"npm_", "pypi-"}},
}

// find returns the texts that look like the secret.
func (s secret) find(text []byte) [][]byte {
	for _, word := range s.words {
		if bytes.Contains(text, []byte(word)) {
			return s.pattern.FindAll(text, -1)
		}
	}
	return nil
}

// noSecrets are texts that look like secrets and are none, by file.
var noSecrets = map[string][]string{
	"internal/store/store_test.go": {"https://user:" + "hunter2@h", "s3://key:" + "hunter2@b", "http://u:" + "hunter2@h"},
}

// TestNoSecretsInFiles looks for credentials in all files of text of the repository.
func TestNoSecretsInFiles(t *testing.T) {
	t.Parallel()
	files := trackedFiles(t)
	if len(files) < 1000 {
		t.Fatalf("%d files", len(files))
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
			continue // removed, or a link, or no text
		}
		for what, s := range secrets {
			for _, found := range s.find(text) {
				if !slices.Contains(noSecrets[name], string(found)) {
					t.Errorf("%s holds %s: %.12s…", name, what, found)
				}
			}
		}
	}
}

// TestSecretsAreFound tries the patterns on secrets that are made here.
func TestSecretsAreFound(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("aB3", 40)
	for what, text := range map[string]string{
		"an access key of AWS":          "AKIA" + "IOSFODNN7EXAMPLE",
		"a secret key of AWS":           "AWS_SECRET_ACCESS_KEY=" + long[:40],
		"a private key":                 "-----BEGIN RSA " + "PRIVATE KEY-----",
		"a service account of Google":   `"private_key_id": "` + strings.Repeat("0a", 20) + `"`,
		"a token or key of Google":      "AIza" + long[:35],
		"a key of an Azure account":     "AccountKey=" + long[:86] + "==",
		"a shared access signature":     "?sv=1&sig=" + long[:43] + "%3D",
		"a token of GitHub or GitLab":   "ghp_" + long[:36],
		"a token of Slack":              "xoxb-" + long[:24],
		"a JSON web token":              "eyJ" + long[:30] + ".eyJ" + long[:30] + "." + long[:30],
		"a password in a URL":           "https://user:" + "hunter22@example.com",
		"a token of a package registry": "npm_" + long[:36],
	} {
		if s, ok := secrets[what]; !ok || len(s.find([]byte("x = "+text))) == 0 {
			t.Errorf("%s is not found in %q", what, text)
		}
	}
}

// ownData are folders of test data that the project itself has written.
var ownData = []string{
	"e2e/testdata", "engines/kubernetes/testdata", "engines/slurm/testdata", "jobs/jobfile/testdata", "readers/testdata",
}

// licenceWords are words by which a README names a licence.
var licenceWords = regexp.MustCompile(`(?i)licen[cs]e|public domain|\bCC0\b|Apache-2\.0|\bBSD|\bMIT\b`)

// TestLicencesOfTestData: each file of test data and of examples that other programs or people
// have made lies in a folder, or below one, whose README names a licence. Scripts are ours.
func TestLicencesOfTestData(t *testing.T) {
	t.Parallel()
	readme := map[string]bool{} // by folder: whether a README there names a licence
	var data []string
	for _, name := range trackedFiles(t) {
		in := strings.HasPrefix(name, "examples/data/") || strings.Contains(name, "/testdata/")
		own := slices.ContainsFunc(ownData, func(dir string) bool { return strings.HasPrefix(name, dir+"/") })
		switch kind := path.Ext(name); {
		case !in || own:
		case path.Base(name) == "README.md":
			text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
			readme[path.Dir(name)] = err == nil && licenceWords.Match(bytes.TrimSpace(text))
		case kind != ".py" && kind != ".sh" && !strings.Contains(name, "/fuzz/"):
			data = append(data, name)
		}
	}
	if len(data) < 30 {
		t.Fatalf("%d files of test data", len(data))
	}
	for _, name := range data {
		dir := path.Dir(name)
		for !readme[dir] && path.Base(dir) != "testdata" && dir != "examples/data" && dir != "." {
			dir = path.Dir(dir)
		}
		if !readme[dir] {
			t.Errorf("%s: no README.md in its folder, or above it in %s, names a licence", name, dir)
		}
	}
}
