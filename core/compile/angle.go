package compile

import (
	"html"
	"strings"
)

// angleAddress reads "<https://example.org>", "<ann@example.org>" or, as Slack
// writes links, "<https://example.org|label>". It returns 0 if there is none.
func (p *inliner) angleAddress(i int) int {
	s := p.s
	j := i + 1
	for j < len(s) && j-i <= 33 && (isAlnum(s[j]) || s[j] == '+' || s[j] == '.' || s[j] == '-') {
		j++
	}
	if j < len(s) && s[j] == ':' && j-i > 2 && isAlpha(s[i+1]) && knownScheme(s[i+1:j], s[j+1:]) {
		return p.angleURI(i, j)
	}
	return p.angleEmail(i)
}

func (p *inliner) angleURI(i, j int) int {
	s := p.s
	for ; j < len(s); j++ {
		switch c := s[j]; {
		case c == '>':
			p.link(i, cleanWord(s[i+1:j]), s[i+1:j])
			p.from = j + 1
			return p.from
		case c == '|':
			n := strings.IndexAny(s[j:], "<>\n")
			if n < 0 || s[j+n] != '>' {
				return 0
			}
			label := strings.TrimSpace(html.UnescapeString(s[j+1 : j+n]))
			if label == "" {
				label = s[i+1 : j]
			}
			p.link(i, cleanWord(s[i+1:j]), cleanWord(label))
			p.from = j + n + 1
			return p.from
		case c <= ' ' || c == '<':
			return 0
		}
	}
	return 0
}

// link adds a link whose label is plain text.
func (p *inliner) link(i int, href, label string) {
	t := p.add(i, tokenAuto, p.str(href))
	t.start = p.str(label)
}

// angleEmail reads an address of mail. Its brackets stay: "Ann <ann@example.org>"
// is how such addresses are written.
func (p *inliner) angleEmail(i int) int {
	s := p.s
	j := i + 1
	for j < len(s) && (isAlnum(s[j]) || strings.IndexByte(".!#$%&'*+/=?^_`{|}~-", s[j]) >= 0) {
		j++
	}
	if j == i+1 || j >= len(s) || s[j] != '@' {
		return 0
	}
	end := mailDomain(s, j+1)
	if end < 0 || end >= len(s) || s[end] != '>' {
		return 0
	}
	p.text(i + 1)
	p.link(i+1, "mailto:"+s[i+1:end], s[i+1:end])
	p.from = end
	return end + 1
}

// knownScheme reports whether scheme, followed by rest, begins an address. Any
// scheme does that has "//", so that "<std::string>" stays what it is.
func knownScheme(scheme, rest string) bool {
	if strings.HasPrefix(rest, "//") {
		return true
	}
	switch strings.ToLower(scheme) {
	case "mailto", "tel", "sms", "xmpp", "urn", "magnet", "doi", "vance", "news", "sip", "geo":
		return rest != "" && rest[0] > ' ' && rest[0] != ':'
	}
	return false
}
