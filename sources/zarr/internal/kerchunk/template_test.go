package kerchunk

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExpand expands templates. The results are those of Jinja2 3.1.6.
func TestExpand(t *testing.T) {
	s := newScope(map[string]string{"u": "s3://bucket/data", "f": "{{u}}/{{ name }}.nc", "n": "{{c}}{{c}}"})
	s.values["i"], s.values["j"], s.values["name"] = int64(7), int64(-3), "one"
	for text, want := range map[string]string{
		"plain": "plain", "{{u}}/a": "s3://bucket/data/a", "{{ i }}": "7", "a{{i}}b{{ j }}c": "a7b-3c", "line\n": "line",
		"{{ i * 8 + 4 }}": "60", "{{ (i + 1) * 1000 }}": "8000", "{{ i // 2 }}{{ j // 2 }}": "3-2", "{{ i % 4 }},{{ j % 4 }}": "3,1", "{{ -i }}": "-7", "{{ 2 - 3 - 4 }}": "-5",
		"{{ '%03d' % i }}": "007", `{{ "x%d.nc" % i }}`: "x7.nc", "{{ '%s' % i }}": "7", "{{ '%3d' % i }}": "  7", "{{ '%04d' % j }}": "-003",
		"{{ 'a' + 'b' }}": "ab", "{{ name ~ i }}": "one7", "{{ n(c='x') }}": "xx", "{{ n(c=i+1) }}": "88", "{{n( c = 'a' ~ 'b' )}}": "abab", "{{}}x": "!", "{{ i": "!",
		"{{ i / 2 }}": "!", "{{ i ** 2 }}": "!", "{{ none }}": "!", "{{ f }}": "!", "{{ u(x=1) }}": "!", "{{ n('x') }}": "!", "{{ i | upper }}": "!", "{% if i %}": "!", "{# x #}": "!",
		"{{ 9223372036854775807 + 1 }}": "!", "{{ 9223372036854775807 * 2 }}": "!", "{{ 99999999999999999999 }}": "!", "{{ i // 0 }}": "!", "{{ i % 0 }}": "!", "{{ 'a' * 3 }}": "!",
		"{{ '%f' % i }}": "!", "{{ '%d%d' % i }}": "!", "{{ '%99d' % i }}": "!", `{{ "\n" }}`: "!", "{{ 'a }}": "!", "{{ (i }}": "!", "{{ i i }}": "!", "{{ n(c=1 }}": "!",
		"{{ " + strings.Repeat("(", 100) + "1" + strings.Repeat(")", 100) + " }}": "!",
	} {
		got, err := template(text).expand(s)
		if want == "!" {
			if !errors.Is(err, errTemplate) {
				t.Errorf("%s: %q, %v; want an error", text, got, err)
			}
		} else if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestComputeIntegers has results at the ends of 64 bits.
func TestComputeIntegers(t *testing.T) {
	const least, most = math.MinInt64, math.MaxInt64
	for _, c := range []struct {
		x    int64
		op   byte
		y    int64
		want any
	}{
		{most, '+', 1, nil}, {least, '+', -1, nil}, {most, '+', 0, int64(most)}, {least, '+', most, int64(-1)}, {0, '-', least, nil}, {least, '-', 1, nil}, {most, '-', -1, nil}, {5, '-', 0, int64(5)},
		{least, '*', -1, nil}, {-1, '*', least, nil}, {1 << 40, '*', 1 << 30, nil}, {0, '*', least, int64(0)}, {3, '*', -4, int64(-12)}, {least, '/', -1, nil}, {7, '/', -2, int64(-4)}, {7, '%', -2, int64(-1)},
	} {
		got, err := computeIntegers(c.x, c.op, c.y)
		if got != c.want || (err == nil) != (c.want != nil) {
			t.Errorf("%d %c %d: %v, %v; want %v", c.x, c.op, c.y, got, err, c.want)
		}
	}
}

// TestLongText: a template does not grow without end.
func TestLongText(t *testing.T) {
	s := newScope(nil)
	s.values["a"] = strings.Repeat("x", mostText/2+1)
	for _, text := range []string{"{{ a ~ a }}", "{{ a }}{{ a }}"} {
		if _, err := template(text).expand(s); !errors.Is(err, errTemplate) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDimensionCount counts the values of a span, and takes them in order.
func TestDimensionCount(t *testing.T) {
	for _, c := range []struct {
		text string
		want []value
	}{
		{`{"stop": 3}`, []value{int64(0), int64(1), int64(2)}}, {`{"start": 1, "stop": 8, "step": 3}`, []value{int64(1), int64(4), int64(7)}}, {`{"start": 5, "stop": 0, "step": -2}`, []value{int64(5), int64(3), int64(1)}},
		{`{"start": 5, "stop": 2}`, nil}, {`[1, "a"]`, []value{int64(1), "a"}}, {`[]`, nil},
	} {
		d := dimension{}
		if err := d.parse([]byte(c.text)); err != nil {
			t.Fatal(err)
		}
		var got []value
		for i := range d.count() {
			got = append(got, d.at(i))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
	for _, text := range []string{`{"start": 1}`, `{"stop": 1, "step": 0}`, `{"stop": 9223372036854775807}`, `[1.5]`, `[null]`, `"x"`, `{"stop": "x"}`} {
		if err := new(dimension).parse([]byte(text)); err == nil {
			t.Errorf("%s is no error", text)
		}
	}
}
