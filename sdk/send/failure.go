package send

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"syscall"

	"github.com/seed-1ae66336/vak/sdk/surface"
)

// The codes of failures that have no answer of the platform.
const (
	CodeRequest  = "bad_request_address" // no request can be made of it
	CodeLookup   = "name_not_found"      // the name cannot be looked up
	CodeRefused  = "connection_refused"  // nobody listens
	CodeBlocked  = "address_not_allowed" // Config.Control refused it
	CodeTLS      = "tls"                 // the other side is not who it should be, or speaks no TLS
	CodeTimeout  = "timeout"             // it took too long
	CodeCanceled = "canceled"            // the caller gave up
	CodeBroken   = "connection_broken"   // anything else
)

// ErrBlocked is what a Config.Control wraps to have its refusal told as such.
var ErrBlocked = errors.New("send: the address is not allowed")

// failure classifies an error of net/http. None of its words are kept: they hold
// the address.
func failure(ctx context.Context, err error, written bool) *surface.DeliveryError {
	out := &surface.DeliveryError{Class: surface.Transient, Code: code(ctx, err)}
	switch {
	case written:
		out.Class = surface.Unknown
		out.Hint = "the request was sent and not answered; it may have been carried out"
	case out.Code == CodeBlocked:
		out.Class = surface.Permanent
		out.Hint = "allow the host by name in the configuration, if that is meant"
	case out.Code == CodeTLS:
		out.Hint = "check the address, the clock and the system's certificates"
	case out.Code == CodeLookup:
		out.Hint = "check the address and the resolver"
	}
	return out
}

func code(ctx context.Context, err error) string {
	var lookup *net.DNSError
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var alert tls.AlertError
	var wait net.Error
	switch {
	case errors.Is(err, ErrBlocked):
		return CodeBlocked
	case errors.As(err, &lookup):
		return CodeLookup
	case errors.Is(err, syscall.ECONNREFUSED):
		return CodeRefused
	case errors.As(err, &record), errors.As(err, &verify), errors.As(err, &authority), errors.As(err, &host), errors.As(err, &alert):
		return CodeTLS
	case errors.Is(ctx.Err(), context.Canceled):
		return CodeCanceled
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &wait) && wait.Timeout():
		return CodeTimeout
	}
	return CodeBroken
}
