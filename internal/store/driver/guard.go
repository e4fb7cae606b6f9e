package driver

import "context"

// Guard says whether its owner may change objects at this moment. The lock of a
// job is a Guard. A Guard is safe for concurrent use.
type Guard interface {
	// Enter waits until changes are allowed. The context that it returns ends as
	// soon as changes are no longer allowed; leave releases it. The error is that of
	// ctx, or says that changes will never be allowed again.
	Enter(ctx context.Context) (allowed context.Context, leave context.CancelFunc, err error)
	// Check fails where changes are not allowed. It makes no request.
	Check() error
	// Prove asks the place where the permission is kept whether the permission still
	// holds. It does not trust a clock.
	Prove(ctx context.Context) error
}

// guardKey is the key of the context's value that holds the Guard of a request.
type guardKey struct{}

// WithGuard returns the context of a request that has to ask a guard.
func WithGuard(ctx context.Context, g Guard) context.Context {
	return context.WithValue(ctx, guardKey{}, g)
}

// GuardOf returns the guard that the request of a context has to ask; nil for none.
func GuardOf(ctx context.Context) Guard {
	g, _ := ctx.Value(guardKey{}).(Guard)
	return g
}

// Permitted waits until the guard of the operation allows changes.
func Permitted(ctx context.Context) error {
	g := GuardOf(ctx)
	if g == nil || g.Check() == nil {
		return nil
	}
	_, leave, err := g.Enter(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	leave()
	return nil
}
