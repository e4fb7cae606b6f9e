package jobfile

// codecKeys are the keys of the long form of a codec.
var codecKeys = []string{"name", "configuration", "must_understand"}

// configuration returns the mapping that configures a codec, given the codec
// in either of its forms; nil when there is none.
func (n *node) configuration() *node {
	inner := n.get("configuration")
	if inner == nil && len(n.members) == 1 {
		inner = n.members[0].value
	}
	if inner == nil || inner.kind != mapKind {
		return nil
	}
	return inner
}

// locate follows steps from n as far as the file goes. It returns the position
// of the last key or item that is there, and how many steps led to it.
func (n *node) locate(steps []step) (position, int) {
	at := n.at
	var inCodecs bool
	for i, s := range steps {
		var next *node
		if s.index >= 0 {
			if n.kind != listKind || s.index >= len(n.items) {
				return at, i
			}
			next = n.items[s.index]
			at = next.at
		} else {
			holder := n
			if inner := n.configuration(); inCodecs && inner != nil && n.index(s.name) < 0 {
				holder = inner
			}
			k := holder.index(s.name)
			if k < 0 {
				return at, i
			}
			next, at = holder.members[k].value, holder.members[k].at
			if next.at.line == 0 {
				at = next.at // the value is from --set
			}
		}
		inCodecs = s.index >= 0 && i > 0 && steps[i-1].name == "codecs"
		n = next
	}
	if len(steps) > 0 && n.kind != mapKind && n.kind != listKind {
		at = n.at // a scalar is at fault itself
	}
	return at, len(steps)
}
