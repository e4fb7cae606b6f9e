package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// measuring is a script that measures a page and leaves the result in its text.
const measuring = `<pre id="measured"></pre><script>
const shown = e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0; };
const articles = [...document.querySelectorAll("article")].map(e => e.getBoundingClientRect());
document.getElementById("measured").textContent = JSON.stringify({
  width: innerWidth,
  wide: document.documentElement.scrollWidth,
  articles: articles.length,
  overlaps: articles.flatMap((a, i) => articles.slice(i + 1).filter(b => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length,
  images: document.images.length,
  broken: [...document.images].filter(e => !e.complete || e.naturalWidth == 0 || !shown(e)).length,
  charts: document.querySelectorAll("svg").length,
  outside: [...document.querySelectorAll("svg text, svg rect")].filter(e => {
    const r = e.getBoundingClientRect(), s = e.ownerSVGElement.getBoundingClientRect();
    return r.left < s.left - 1 || r.right > s.right + 1 || r.top < s.top - 1 || r.bottom > s.bottom + 1;
  }).map(e => e.outerHTML),
  small: [...document.querySelectorAll("body *")].filter(e => !e.children.length && e.textContent.trim() && e.closest("#measured") == null && shown(e) && parseFloat(getComputedStyle(e).fontSize) < 10).length,
});
</script>`

// TestInteropReport looks at the page of a report in a browser, at the width of a desk and at
// that of a phone: nothing is wider than the page, no two arrays are drawn over each other,
// all pictures are there, and the labels of charts lie inside of them.
func TestInteropReport(t *testing.T) {
	t.Parallel()
	findTools(t, "chromium-headless-shell")
	dir := t.TempDir()
	job := filepath.Join(dir, "coads.yaml")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`zmigrate: 1
source: {driver: netcdf, url: %q}
target: {url: coads.zarr}
arrays:
  AIRT: {codecs: [{numcodecs.zfpy: {mode: 4, tolerance: 0.05}}]}
  SST: {fill_value: -327.68, codecs: [{scale_offset: {scale: 100}}, {cast_value: {data_type: int16, rounding: nearest-even, out_of_range: clamp}}, bytes, zstd]}
`, filepath.Join(here, "..", "examples", "data", "coads_climatology.cdf"))
	if err := os.WriteFile(job, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "run", "--progress", "none", job)
	// The page is to show what it looks like when something is wrong. The tolerance of AIRT does not
	// hold beside its fill value, of which the run has warned.
	verify := zmigrate(t.Context(), t, "verify", "--progress", "none", "--level", "source", job)
	if err := verify.Run(); verify.ProcessState.ExitCode() != 4 {
		t.Fatalf("%v: %v", verify, err)
	}
	page := filepath.Join(dir, "report.html")
	mustRun(t, "report", "-o", page, job)
	made, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range regexp.MustCompile(`(?i)(?:src|href|url)\s*[=(]\s*["']?\s*([a-z]+:|//)`).FindAllStringSubmatch(string(made), -1) {
		if from[1] != "data:" {
			t.Errorf("the page loads something: %s", from[0])
		}
	}
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>\n`)
	if !policy.Match(made) {
		t.Error("the page does not forbid to load anything")
	}
	measured := filepath.Join(dir, "measured.html")
	made = bytes.Replace(policy.ReplaceAll(made, nil), []byte("</body>"), []byte(measuring+"</body>"), 1)
	if err := os.WriteFile(measured, made, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{1280, 400} {
		var is struct {
			Width, Wide, Articles, Overlaps, Images, Broken, Charts, Small int
			Outside                                                        []string
		}
		dumped := browse(t, measured, width)
		_, rest, _ := strings.Cut(dumped, `<pre id="measured">`)
		result, _, _ := strings.Cut(rest, "</pre>")
		if err := json.Unmarshal([]byte(html.UnescapeString(result)), &is); err != nil {
			t.Fatalf("%v: %q", err, result)
		}
		if is.Width != width || is.Wide > width || is.Overlaps > 0 || is.Broken > 0 || is.Small > 0 || len(is.Outside) > 0 {
			t.Errorf("%d wide: %+v", width, is)
		}
		// Ten arrays, three of them coordinates; two with errors; and the chart of the stages.
		if is.Articles != 10 || is.Images != 7 || is.Charts != 10+3+2+1 {
			t.Errorf("%d wide: %d arrays, %d pictures, %d charts", width, is.Articles, is.Images, is.Charts)
		}
	}
}

// browse opens a page in a browser and returns its document.
func browse(t *testing.T, page string, width int) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "chromium-headless-shell", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(),
		fmt.Sprintf("--window-size=%d,1000", width), "--dump-dom", "file://"+page)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, failed.Bytes())
	}
	return string(out)
}
