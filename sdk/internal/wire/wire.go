// Package wire is what the host's half and the plugin's half of the protocol
// share: the handshake, the message cap, canonical JSON, failures as gRPC
// statuses, and the manifest. The messages themselves are generated in package
// v1 from sdk/proto.
//
// It knows no document and no surface, so that the packages that do can use it.
package wire

import (
	"bytes"
	"encoding/json"

	plugin "github.com/hashicorp/go-plugin"
)

// MaxMessage is the largest message in either direction, in bytes.
const MaxMessage = 16 << 20

// Windows of a connection, in bytes. They are fixed: gRPC's own start at 64 KiB
// and grow by measuring, which costs a large message several round trips and
// every message a ping, on a socket that has no latency to make up for.
const (
	StreamWindow = 4 << 20
	ConnWindow   = 16 << 20
)

// Protocol is the major version of the protocol that this module speaks.
const Protocol = 1

// PluginName is the one entry of go-plugin's plugin set.
const PluginName = "vak"

// The kinds of plugin that Describe and the manifest name.
const (
	KindSurface = "surface"
	KindSkill   = "skill"
)

// The roles that a plugin is started in, and its first argument: the first two of
// a surface, the last of a skill pack.
const (
	RoleRender    = "render"
	RoleTransport = "transport"
	RoleSkill     = "skill"
)

// Handshake tells a plugin that a vak host started it. It is no secret and no
// protection: it lets a binary that a person runs by hand say so.
func Handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{
		MagicCookieKey:   "VAK_PLUGIN",
		MagicCookieValue: "0d6fb3a1c7e84f52b9a26e1f5d3c8047",
	}
}

// JSON encodes v canonically: no insignificant space, no HTML escapes, no final
// newline.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
