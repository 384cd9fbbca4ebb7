package main

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-1ae66336/vak/sdk/dialect"
	"github.com/seed-1ae66336/vak/sdk/surface"
)

// What Slack takes as one message, with nothing cut off. (It advises 4,000
// characters and cuts at 40,000, but was seen to cut at 16,000; an edit counts
// bytes, and 4,121 were refused where 3,971 were not.)
const (
	maxText    = 4000   // code points
	maxEscaped = 16_000 // code points of plain text once it is escaped
	maxEdit    = 3800   // bytes
)

// content is the text of a part, held to what Slack takes. That of an edit is
// always read as mrkdwn.
func content(r surface.SendRequest, edit bool) (string, error) {
	var text string
	most := maxText
	switch r.Form {
	case surface.FormText:
		text = r.Chunk.Text
		if e := live(text, r.Mentions == surface.LiveMentions); e != nil {
			return "", e
		}
	case surface.FormPlain:
		if utf8.RuneCountInString(r.Chunk.Plain) > maxText {
			return "", refuse(surface.TooLong, codeTooLong, hintLong)
		}
		text, most = plainText(r.Chunk.Plain, edit), maxEscaped
	default:
		return "", refuse(surface.Payload, "form", "Slack is sent text only")
	}
	switch {
	case !utf8.ValidString(text):
		return "", refuse(surface.Payload, "utf8", "the text is not UTF-8")
	case edit && len(text) > maxEdit:
		return "", refuse(surface.TooLong, codeTooLong, "Slack takes 3,800 bytes in an edit")
	case utf8.RuneCountInString(text) > most:
		return "", refuse(surface.TooLong, codeTooLong, hintLong)
	case strings.TrimFunc(text, unicode.IsSpace) == "":
		return "", refuse(surface.Permanent, "no_text", "there is nothing to read in it")
	}
	return text, nil
}

// What may stand between < and > in mrkdwn: addresses as the dialect writes them,
// and users where mentions are live.
var (
	linkForm = regexp.MustCompile(`^<(?i:https?://|mailto:|tel:)[^<>\n]+>`)
	userForm = regexp.MustCompile(`^<@[UW][A-Z0-9]+(?:\|[^<>\n]*)?>`)
)

// live refuses text with a token that Slack would act on, in code as elsewhere.
// Rendering escapes every < that begins no address. With users, mentions of users
// are let pass.
func live(text string, users bool) *surface.DeliveryError {
	var other *surface.DeliveryError
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case rest[0] != '<', linkForm.MatchString(rest), users && userForm.MatchString(rest):
		case len(rest) > 1 && strings.IndexByte("!@#", rest[1]) >= 0:
			return refuse(surface.Payload, "live_token", "the text holds a mention or another live token that rendering escapes; see what renders it")
		default:
			other = refuse(surface.Payload, "markup", "the text holds markup that vak does not write; see what renders it")
		}
	}
	return other
}

// entities are those that Slack knows.
var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// plainText writes plain text so that nothing in it is live and it is shown as it
// stands. A post says that its text is no mrkdwn; an edit cannot, so that its marks
// are taken the meaning of as well.
func plainText(plain string, edit bool) string {
	if !edit {
		return entities.Replace(plain)
	}
	var out []byte
	for n, line := range strings.Split(plain, "\n") {
		if n > 0 {
			out = append(out, '\n')
		}
		out = dialect.SlackMrkdwn.Escape(out, line, dialect.Position{LineStart: true})
	}
	return string(out)
}
