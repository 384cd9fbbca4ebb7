package card

import "github.com/seed-1ae66336/vak/sdk/surface"

// The bounds of a [Tree]. What a property lists counts to its payload's bounds and
// not as nodes.
const (
	MaxNodes = 256
	MaxDepth = 16      // nodes within each other, the root included
	MaxTree  = 4 << 20 // bytes of its wire form
)

// A Tree is what a card looks like, in primitives. Its wire form is that of its
// root.
type Tree struct{ Root Node }

// A Node is one primitive with what it says and holds. In JSON it is
// {primitive, props, children, fallback, requires}, without what is empty.
type Node struct {
	Props    Props
	Children []Node // of primitives that have them, see [Primitive.HasChildren]

	// Fallback is a text for clients that cannot show the node. Text surfaces can
	// show every node and do not use it.
	Fallback string

	// Requires are what a client has to be able to do to show the node.
	Requires []Capability
}

// New is a node. Children are for primitives that have them.
func New(p Props, children ...Node) Node { return Node{Props: p, Children: children} }

// Of is the tree of a root.
func Of(p Props, children ...Node) Tree { return Tree{New(p, children...)} }

// A Capability is what a client can do, named as in [surface.Capabilities].
type Capability string

// The capabilities that a node may require.
const (
	Interactive Capability = "interactive"
	Color       Capability = "color"
	ShowsMedia  Capability = "media"
	FollowsLink Capability = "links"
)

// In reports whether a surface that can do this can do what c names.
func (c Capability) In(can surface.Capabilities) bool {
	switch c {
	case Interactive:
		return can.Interactive
	case Color:
		return can.Color
	case ShowsMedia:
		return can.Media
	case FollowsLink:
		return can.Links
	}
	return false
}
