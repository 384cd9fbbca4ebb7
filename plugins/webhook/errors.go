package main

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed-1ae66336/vak/sdk/send"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// A meaning is what follows from a status.
type meaning struct {
	status int
	class  surface.Class
	hint   string
}

// meanings lists the statuses that mean something of their own. Of the others those
// from 500 are tried again, and the rest are not.
func meanings() []meaning {
	return []meaning{
		{http.StatusUnauthorized, surface.Permanent, "check the account's secret and headers"},
		{http.StatusForbidden, surface.Permanent, "check the account's secret and headers"},
		{http.StatusNotFound, surface.Permanent, "check the account's url"},
		{http.StatusRequestTimeout, surface.Transient, ""},
		{http.StatusConflict, surface.Transient, "an earlier attempt with the same key is still being worked on"},
		{http.StatusGone, surface.TargetGone, "the receiver wants no more; give the account a new url, then retry"},
		{http.StatusRequestEntityTooLarge, surface.Permanent, "the receiver takes no packet of this size"},
		{http.StatusTooManyRequests, surface.RateLimited, ""},
		{http.StatusBadGateway, surface.Transient, ""},
		{http.StatusServiceUnavailable, surface.Transient, ""},
		{http.StatusGatewayTimeout, surface.Transient, ""},
	}
}

// abort is what a receiver says, in the header Webhook-Delivery, that wants no
// further attempt of this message.
const abort = "abort-message"

// failed says what follows from an answer; nil for one that took the packet.
func failed(a send.Answer, err error, now time.Time) *surface.DeliveryError {
	if err != nil {
		if e, ok := errors.AsType[*surface.DeliveryError](err); ok {
			return e
		}
		return refuse(surface.Unknown, "unclassified", "")
	}
	switch {
	case a.Status >= 200 && a.Status < 300:
		return nil
	case strings.EqualFold(strings.TrimSpace(a.Header.Get("Webhook-Delivery")), abort):
		return refuse(surface.Permanent, "abort-message", "the receiver wants this message no more")
	}
	m := find(a.Status)
	e := refuse(m.class, strconv.Itoa(a.Status), m.hint)
	if m.class == surface.Transient || m.class == surface.RateLimited {
		e.RetryAfter = send.RetryAfter(a.Header, now)
	}
	return e
}

// find looks a status up, or says what those mean that are not in the table.
func find(status int) meaning {
	for _, m := range meanings() {
		if m.status == status {
			return m
		}
	}
	switch {
	case status >= 500:
		return meaning{status, surface.Transient, "the receiver is in trouble"}
	case status >= 300 && status < 400:
		return meaning{status, surface.Permanent, "redirects are not followed; give the account the address that it leads to"}
	}
	return meaning{status, surface.Permanent, "the receiver refuses the packet"}
}

// refuse is an error without a cause.
func refuse(class surface.Class, code, hint string) *surface.DeliveryError {
	return &surface.DeliveryError{Class: class, Code: code, Hint: hint}
}
