package fake

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DiscordError is a refusal with a JSON error code, for [Server.Next].
func DiscordError(status, code int, message string) Answer {
	return discordJSON(status, map[string]any{"message": message, "code": code})
}

// DiscordRateLimit is an answer 429 that asks for a wait, for [Server.Next].
func DiscordRateLimit(wait time.Duration, global bool) Answer {
	seconds := strconv.FormatFloat(wait.Seconds(), 'f', 3, 64)
	a := discordJSON(http.StatusTooManyRequests, map[string]any{
		"message": "You are being rate limited.", "retry_after": json.Number(seconds), "global": global,
	})
	a.Header.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	if global {
		a.Header.Set("X-RateLimit-Global", "true")
		a.Header.Set("X-RateLimit-Scope", "global")
		return a
	}
	a.Header.Set("X-RateLimit-Remaining", "0")
	a.Header.Set("X-RateLimit-Reset-After", seconds)
	a.Header.Set("X-RateLimit-Scope", "user")
	return a
}

// discordForm refuses a field.
func discordForm(field, code, message string) Answer {
	return discordJSON(http.StatusBadRequest, map[string]any{
		"message": "Invalid Form Body", "code": 50035,
		"errors": map[string]any{field: map[string]any{"_errors": []any{map[string]any{"code": code, "message": message}}}},
	})
}

func discordJSON(status int, body any) Answer {
	b, err := json.Marshal(body)
	if err != nil {
		panic("fake: " + err.Error()) // it is made of literals
	}
	return Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: string(b)}
}

// discordMention is what may notify.
var discordMention = regexp.MustCompile(`^(?:@everyone|@here|<@[!&]?([0-9]+)>)`)

// discordNotified lists the mentions in content that fire. Without
// allowed_mentions all of them do; an empty parse lets none.
func discordNotified(content string, allowed *discordMentions) []string {
	if allowed == nil {
		allowed = &discordMentions{Parse: []string{"users", "roles", "everyone"}}
	}
	var out []string
	for i := 0; i < len(content); {
		rest := content[i:]
		switch rest[0] {
		case '\\':
			i += 2
			continue
		case '`':
			i += discordCode(rest)
			continue
		}
		m := discordMention.FindStringSubmatch(rest)
		if m == nil {
			i++
			continue
		}
		kind, listed := "users", slices.Contains(allowed.Users, m[1])
		switch {
		case m[1] == "":
			kind, listed = "everyone", false
		case strings.HasPrefix(m[0], "<@&"):
			kind, listed = "roles", slices.Contains(allowed.Roles, m[1])
		}
		if listed || slices.Contains(allowed.Parse, kind) {
			out = append(out, m[0])
		}
		i += len(m[0])
	}
	return out
}

// discordCode is the length of the code at the start of s: up to the next run of
// as many backticks. Where there is none, it is that of the backticks.
func discordCode(s string) int {
	open := len(s) - len(strings.TrimLeft(s, "`"))
	for at := open; at < len(s); {
		next := strings.IndexByte(s[at:], '`')
		if next < 0 {
			break
		}
		at += next
		n := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		at += n
		if n == open {
			return at
		}
	}
	return open
}
