package send

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait is the longest time that a platform may ask for.
const longestWait = 24 * time.Hour

// RetryAfter is what the header Retry-After asks for: seconds, with or without a
// fraction, or a date. 0 is no demand that can be read. (RFC 9110, 10.2.3;
// fractions are Discord's.)
func RetryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return Seconds(s)
	}
	if at, err := http.ParseTime(v); err == nil {
		return min(max(at.Sub(now), 0), longestWait)
	}
	return 0
}

// Seconds is a time that a platform gives as a number, between none and a day.
func Seconds(s float64) time.Duration {
	if math.IsNaN(s) || s <= 0 {
		return 0
	}
	return time.Duration(min(s, longestWait.Seconds()) * float64(time.Second))
}
