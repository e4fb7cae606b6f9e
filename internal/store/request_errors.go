package store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"syscall"
	"time"
)

// statusError is the error of an answer that is no success. Its text holds nothing of
// the request, because headers and queries carry secrets.
type statusError struct {
	code  int           // of HTTP
	name  string        // the provider's name for what is wrong, "NoSuchBucket"; may be ""
	hint  string        // a way out; may be ""
	pause time.Duration // how long the server asks to wait; 0 if it does not
	cause error         // the client's error, for errors.As; not part of the text
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("the server answers %d %s", e.code, http.StatusText(e.code))
	if e.name != "" {
		text += " (" + e.name + ")"
	}
	if e.hint != "" {
		text += ": " + e.hint
	}
	return text
}

// Unwrap returns what the answer means for an object, and its cause.
func (e *statusError) Unwrap() []error {
	var all []error
	switch {
	case e.noBucket():
	case e.code == http.StatusNotFound:
		all = append(all, fs.ErrNotExist)
	case e.code == http.StatusUnauthorized, e.code == http.StatusForbidden:
		all = append(all, fs.ErrPermission)
	}
	if e.cause != nil {
		all = append(all, e.cause)
	}
	return all
}

// noBucket is S3's name for the error that a bucket does not exist.
const noBucket = "NoSuchBucket"

// noBucket tells whether it is the bucket that is missing.
func (e *statusError) noBucket() bool {
	return e.name == noBucket || e.name == "ContainerNotFound"
}

// Unwritable tells whether an error says that the place cannot be written to: the user
// may not write there, or it is no folder.
func Unwritable(err error) bool {
	if answer, ok := errors.AsType[*statusError](err); ok {
		switch answer.name {
		case "AccessDenied", "forbidden", "insufficientPermissions", "AuthorizationPermissionMismatch", "AuthorizationFailure", "InsufficientAccountPermissions":
			return answer.code == http.StatusForbidden
		}
		return false
	}
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)
}

// transient tells whether the same request may succeed a little later. A success is an
// error only if it is not genuine, see [notGenuine].
func (e *statusError) transient() bool {
	switch e.code {
	case http.StatusOK:
		return true
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	default:
		return e.code >= 500
	}
}

// withHint adds a way out. access is the hint for a refused request: it says where the
// provider's credentials come from.
func (e *statusError) withHint(access string) *statusError {
	switch {
	case e.hint != "":
	case e.noBucket():
		e.hint = "there is no such bucket; create it, or correct its name in the URL"
	case e.name == "RequestTimeTooSkewed":
		e.hint = "set the clock of this machine"
	case e.name == "ExpiredToken", e.name == "TokenRefreshRequired", e.name == "InvalidToken":
		e.hint = "the session token has run out, or is not that of the key: get new credentials"
	case e.code == http.StatusBadRequest && (e.name == "" || e.name == "BadRequest"):
		e.hint = "the server says no more than that; credentials that have run out, another region or a proxy are what is most often behind it"
	case e.code == http.StatusUnauthorized, e.code == http.StatusForbidden:
		e.hint = access
	}
	return e
}

// pauseOf returns how long an answer's Retry-After asks to wait, in seconds or as a
// date.
func pauseOf(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// connectionError is the error of a request without a whole answer. Its text leaves out
// the URL of the request.
type connectionError struct{ error }

func (e connectionError) Unwrap() error { return e.error }

// transient tells whether the connection may succeed a little later. It never will if
// the name of the server does not exist, or if the server's certificate is not valid.
func (e connectionError) transient() bool {
	if proxy, ok := errors.AsType[*proxyError](e.error); ok {
		return proxy.transient()
	}
	if name, ok := errors.AsType[*net.DNSError](e.error); ok {
		return !name.IsNotFound
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](e.error)
	_, record := errors.AsType[tls.RecordHeaderError](e.error)
	return !certificate && !record && !errors.Is(e.error, context.Canceled) && !errors.Is(e.error, errors.ErrUnsupported)
}

// withoutURL replaces the error of an HTTP client by its cause, because the error
// quotes the URL, and with it a signed query.
func withoutURL(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		if outer.Op == "parse" { // no request was sent
			return outer.Err
		}
		return connectionError{outer.Err}
	}
	return err
}

// brokenBody is the error of reading a body of size bytes.
func brokenBody(size int64, err error) error {
	return connectionError{fmt.Errorf("body of %d bytes: %w", size, earlyEnd(err))}
}

// transient tells whether the same request may succeed a little later: the
// server was busy or the connection broke. Errors that the request itself causes, and
// errors of the local file system, are not transient.
func transient(err error) bool {
	var short *shortError
	if errors.As(err, &short) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return false
	}
	if answer, ok := errors.AsType[*statusError](err); ok {
		return answer.transient()
	}
	if connection, ok := errors.AsType[connectionError](err); ok {
		return connection.transient()
	}
	for _, passing := range []error{
		context.DeadlineExceeded, io.ErrUnexpectedEOF, io.EOF, net.ErrClosed,
		syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.EPIPE,
		syscall.ENETDOWN, syscall.ENETUNREACH, syscall.EHOSTUNREACH,
	} {
		if errors.Is(err, passing) {
			return true
		}
	}
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// earlyEnd turns io.EOF into io.ErrUnexpectedEOF.
func earlyEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// proxyError is the error of a proxy that lets no request through to a server.
type proxyError struct{ code int }

func (e *proxyError) Error() string {
	text := fmt.Sprintf("the proxy that the environment names (HTTPS_PROXY) answers %d %s", e.code, http.StatusText(e.code))
	if e.code == http.StatusProxyAuthRequired {
		return text + ": put the user and password that it wants into that variable"
	}
	return text + ": have it let requests to this server through, or name the server in NO_PROXY"
}

// transient tells whether the proxy may let the request through a little later.
func (e *proxyError) transient() bool { return e.code >= 500 || e.code == http.StatusTooManyRequests }
