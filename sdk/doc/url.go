package doc

import "strings"

// SafeURL reports whether a client may open href at a touch: its scheme is
// http, https, mailto, tel or vance. Anything else stays readable and inert.
func SafeURL(href string) bool {
	scheme, _, ok := strings.Cut(href, ":")
	if !ok || len(scheme) > len("mailto") {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "tel", "vance":
		return true
	}
	return false
}

// DataURI reports whether src carries its picture in itself, and if so the
// media type it claims (never empty, and fit to be shown) and the decoded size
// in bytes.
func DataURI(src string) (mediaType string, size int, ok bool) {
	if len(src) < 5 || !strings.EqualFold(src[:5], "data:") {
		return "", 0, false
	}
	head, body, _ := strings.Cut(src[5:], ",")
	mediaType, _, _ = strings.Cut(head, ";")
	switch {
	case mediaType == "":
		mediaType = "text/plain"
	case !mediaTypeName(mediaType):
		mediaType = "application/octet-stream"
	}
	if strings.HasSuffix(head, ";base64") {
		return mediaType, len(strings.TrimRight(body, "=")) * 3 / 4, true
	}
	return mediaType, len(body), true
}

// mediaTypeName reports whether s may be the name of a media type (RFC 6838).
func mediaTypeName(s string) bool {
	if len(s) > 127 || strings.Count(s, "/") != 1 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("/.+-_", c) >= 0:
		default:
			return false
		}
	}
	return true
}
