package bucket

import "testing"

func TestS3PartSizes(t *testing.T) {
	var sum int64
	for n := range 10_000 {
		size := GrowingPart(n)
		if size < 5<<20 || int64(size) >= 5<<30 {
			t.Fatalf("part %d has %d bytes", n, size)
		}
		sum += int64(size)
	}
	if sum < 5<<40 {
		t.Errorf("10,000 parts hold %d GiB", sum>>30)
	}
	if a, b, c := GrowingPart(999), GrowingPart(1000), GrowingPart(100_000); a != PartBytes || b != 2*PartBytes || int64(c) >= 5<<30 {
		t.Errorf("%d, %d, %d", a, b, c)
	}
}
