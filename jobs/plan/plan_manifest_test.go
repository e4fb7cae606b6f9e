package plan

import "testing"

// A text that is the beginning of a known text shares the memory of that text. Any other
// text has memory of its own, and so has one that goes on beyond the known text.
func TestSharedText(t *testing.T) {
	for name, test := range map[string]struct {
		known  string
		shared bool
	}{
		"nothing known":       {"", false},
		"the same":            {"abcd", true},
		"longer":              {"abcde", true},
		"shorter":             {"abc", false},
		"another first piece": {"xbcd", false},
		"another last piece":  {"abcx", false},
	} {
		t.Run(name, func(t *testing.T) {
			known := []byte(test.known)
			text := &sharedText{known: known, size: 1}
			for _, piece := range []string{"ab", "", "cd"} {
				if n, err := text.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			got := text.bytes()
			if string(got) != "abcd" || string(known) != test.known {
				t.Errorf("the text is %q, and %q is known", got, known)
			}
			if shared := len(known) > 0 && &got[0] == &known[0]; shared != test.shared || shared && cap(got) != len(got) {
				t.Errorf("shared: %v, with room for %d", shared, cap(got))
			}
		})
	}
}
