package driver

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

// StatusError is the error of an answer that is no success. Its text holds nothing of
// the request, because headers and queries carry secrets.
type StatusError struct {
	Code  int           // of HTTP
	Name  string        // the provider's name for what is wrong, "NoSuchBucket"; may be ""
	Hint  string        // a way out; may be ""
	Pause time.Duration // how long the server asks to wait; 0 if it does not
	Cause error         // the client's error, for errors.As; not part of the text
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("the server answers %d %s", e.Code, http.StatusText(e.Code))
	if e.Name != "" {
		text += " (" + e.Name + ")"
	}
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

// Unwrap returns what the answer means for an object, and its cause.
func (e *StatusError) Unwrap() []error {
	var all []error
	switch {
	case e.NoBucket():
	case e.Code == http.StatusNotFound:
		all = append(all, fs.ErrNotExist)
	case e.Code == http.StatusUnauthorized, e.Code == http.StatusForbidden:
		all = append(all, fs.ErrPermission)
	}
	if e.Cause != nil {
		all = append(all, e.Cause)
	}
	return all
}

// Public is a way out for who only reads: a writer cannot be anonymous.
const Public = "a public one can be read without credentials, by anonymous=true in the query of its URL"

// NoBucket is S3's name for the error that a bucket does not exist.
const NoBucket = "NoSuchBucket"

// NoBucket tells whether the bucket does not exist.
func (e *StatusError) NoBucket() bool {
	return e.Name == NoBucket || e.Name == "ContainerNotFound"
}

// Transient tells whether the same request may succeed a little later. A success is an
// error only if it is not genuine, see package remote.
func (e *StatusError) Transient() bool {
	switch e.Code {
	case http.StatusOK:
		return true
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	default:
		return e.Code >= 500
	}
}

// WithHint adds a way out. access is the hint for a refused request: it says where the
// provider's credentials come from.
func (e *StatusError) WithHint(access string) *StatusError {
	switch {
	case e.Hint != "":
	case e.NoBucket():
		e.Hint = "there is no such bucket; create it, or correct its name in the URL"
	case e.Name == "RequestTimeTooSkewed":
		e.Hint = "set the clock of this machine"
	case e.Name == "ExpiredToken", e.Name == "TokenRefreshRequired", e.Name == "InvalidToken":
		e.Hint = "the session token has run out, or is not that of the key: get new credentials"
	case e.Code == http.StatusBadRequest && (e.Name == "" || e.Name == "BadRequest"):
		e.Hint = "the server gives no reason; often the credentials have run out, the region is another one, or a proxy has changed the request"
	case e.Code == http.StatusUnauthorized, e.Code == http.StatusForbidden:
		e.Hint = access
	}
	return e
}

// PauseOf returns how long an answer's Retry-After asks to wait, in seconds or as a
// date.
func PauseOf(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// ConnectionError is the error of a request without a whole answer. Its text leaves out
// the URL of the request.
type ConnectionError struct{ Cause error }

func (e ConnectionError) Error() string {
	if name, ok := errors.AsType[*net.DNSError](e.Cause); ok && name.IsNotFound {
		return e.Cause.Error() + "; check the name of the server in the URL"
	}
	return e.Cause.Error()
}

func (e ConnectionError) Unwrap() error { return e.Cause }

// transient tells whether the connection may succeed a little later. It never will if
// the name of the server does not exist, or if the server's certificate is not valid.
func (e ConnectionError) transient() bool {
	if proxy, ok := errors.AsType[*proxyError](e.Cause); ok {
		return proxy.transient()
	}
	if name, ok := errors.AsType[*net.DNSError](e.Cause); ok {
		return !name.IsNotFound
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](e.Cause)
	_, record := errors.AsType[tls.RecordHeaderError](e.Cause)
	return !certificate && !record && !errors.Is(e.Cause, errors.ErrUnsupported)
}

// WithoutURL replaces the error of an HTTP client by its cause, because the error
// quotes the URL, and with it a signed query.
func WithoutURL(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		if outer.Op == "parse" { // no request was sent
			return outer.Err
		}
		return ConnectionError{Cause: outer.Err}
	}
	return err
}

// BrokenBody is the error of reading a body of size bytes.
func BrokenBody(size int64, err error) error {
	return ConnectionError{Cause: fmt.Errorf("body of %d bytes: %w", size, earlyEnd(err))}
}

// Transient tells whether the same request may succeed a little later: the
// server was busy or the connection broke. Errors that the request itself causes, and
// errors of the local file system, are not transient.
//
// context.Canceled is transient: the caller looks at the context of the operation first. With Go's
// transport, an idle connection can be closed by the request before, if that request is canceled
// while its answer arrives. The request that has just taken the connection then ends with the
// error of the other one, as persistConn.roundTrip of net/http in Go 1.26 shows.
func Transient(err error) bool {
	var short *ShortError
	if errors.As(err, &short) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return false
	}
	if answer, ok := errors.AsType[*StatusError](err); ok {
		return answer.Transient()
	}
	if connection, ok := errors.AsType[ConnectionError](err); ok {
		return connection.transient()
	}
	for _, passing := range []error{
		context.DeadlineExceeded, context.Canceled, io.ErrUnexpectedEOF, io.EOF, net.ErrClosed,
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

// NewProxyError returns the error of a proxy that answers with an HTTP status instead of
// opening a connection to the server.
func NewProxyError(code int) error { return &proxyError{code} }

func (e *proxyError) Error() string {
	text := fmt.Sprintf("the proxy that the environment names (HTTPS_PROXY) answers %d %s", e.code, http.StatusText(e.code))
	if e.code == http.StatusProxyAuthRequired {
		return text + ": put the user and password that it wants into that variable"
	}
	return text + ": have it let requests to this server through, or name the server in NO_PROXY"
}

// transient tells whether the proxy may let the request through a little later.
func (e *proxyError) transient() bool { return e.code >= 500 || e.code == http.StatusTooManyRequests }
