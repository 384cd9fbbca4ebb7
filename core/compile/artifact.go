package compile

import (
	"net/url"
	"strings"

	"github.com/seed-1ae66336/vak/sdk/doc"
)

// single is the block for a paragraph that is one image or one reference to a
// document, or nil if it is a paragraph after all.
func (b *builder) single(sc *scope, in doc.Inline) doc.Block {
	switch in := in.(type) {
	case *doc.Image:
		if isReference(in.Src) {
			ref, ok := reference(in.Src, "preview")
			if !ok {
				b.badReference(sc)
				return nil
			}
			ref.ID, ref.Text = sc.next(), in.Alt
			if ref.Caption == "" {
				ref.Caption = in.Title
			}
			return ref
		}
		return &doc.Media{ID: sc.next(), Source: in.Src, Alt: in.Alt, MediaType: mediaType(in.Src), Caption: in.Title}
	case *doc.Link:
		if isReference(in.Href) && plain(in.Children) {
			ref, ok := reference(in.Href, "reference")
			if !ok {
				b.badReference(sc)
				return nil
			}
			ref.ID, ref.Text = sc.next(), altText(in.Children)
			if ref.Caption == "" {
				ref.Caption = in.Title
			}
			return ref
		}
	}
	return nil
}

// plain reports whether nothing is lost when ins become a string.
func plain(ins []doc.Inline) bool {
	for _, in := range ins {
		if _, ok := in.(*doc.Image); ok {
			return false
		}
	}
	return true
}

func (b *builder) badReference(sc *scope) {
	b.note("vance_invalid", doc.Warning, sc.next(), "not a path of a document")
}

func isReference(href string) bool {
	return len(href) > 6 && strings.EqualFold(href[:6], "vance:")
}

// reference reads "vance:/path" or "vance://project/path". Segments are
// percent-encoded; a path that is empty or climbs is refused.
func reference(href, mode string) (*doc.ArtifactRef, bool) {
	rest := href[len("vance:"):]
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	ref := &doc.ArtifactRef{Mode: mode, Raw: href}
	if strings.HasPrefix(rest, "//") {
		project, path, ok := strings.Cut(rest[2:], "/")
		if !ok || project == "" {
			return nil, false
		}
		ref.Project, rest = project, "/"+path
	}
	if !strings.HasPrefix(rest, "/") {
		return nil, false
	}
	path, ok := segments(rest[1:])
	if !ok {
		return nil, false
	}
	ref.Path = path
	if ref.Project, ok = unescapeSegment(ref.Project); !ok || strings.Contains(ref.Project, "/") {
		return nil, false
	}
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		key, value, _ := strings.Cut(pair, "=")
		value, err := url.QueryUnescape(value)
		if err != nil {
			continue
		}
		value = cleanWord(value)
		switch key {
		case "kind":
			ref.ArtifactKind = value
		case "mode":
			if value == "preview" || value == "reference" {
				ref.Mode = value
			}
		case "caption":
			ref.Caption = value
		}
	}
	return ref, true
}

// segments decodes a path and refuses it if a segment is empty or climbs.
func segments(s string) (string, bool) {
	parts := strings.Split(s, "/")
	for i, part := range parts {
		part, ok := unescapeSegment(part)
		if !ok || part == "" || part == "." || part == ".." || strings.ContainsAny(part, `/\`) {
			return "", false
		}
		parts[i] = part
	}
	return strings.Join(parts, "/"), true
}

func unescapeSegment(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, true
	}
	s, err := url.PathUnescape(s)
	if err != nil || cleanWord(s) != s {
		return "", false
	}
	return s, true
}

// mediaTypes guesses from the end of a name.
var mediaTypes = map[string]string{
	"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
	"svg": "image/svg+xml", "avif": "image/avif", "bmp": "image/bmp", "ico": "image/x-icon", "tif": "image/tiff", "tiff": "image/tiff",
	"mp4": "video/mp4", "webm": "video/webm", "mov": "video/quicktime",
	"mp3": "audio/mpeg", "ogg": "audio/ogg", "wav": "audio/wav", "m4a": "audio/mp4", "flac": "audio/flac",
	"pdf": "application/pdf",
}

func mediaType(src string) string {
	if t, _, ok := doc.DataURI(src); ok {
		return t
	}
	if i := strings.IndexAny(src, "?#"); i >= 0 {
		src = src[:i]
	}
	i := strings.LastIndexByte(src, '.')
	if i < 0 || len(src)-i > 5 {
		return ""
	}
	return mediaTypes[strings.ToLower(src[i+1:])]
}
