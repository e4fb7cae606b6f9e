package journal
import ("testing";"errors";"fmt")
func dbg(t *testing.T, err error) { for e := err; e != nil; e = errors.Unwrap(e) { fmt.Printf("%T %v\n", e, e) } }
