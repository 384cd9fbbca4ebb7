package card

import (
	"encoding/json"
	"reflect"
	"strconv"
)

// wireNode is a node in JSON.
type wireNode struct {
	Primitive Primitive         `json:"primitive"`
	Props     json.RawMessage   `json:"props,omitempty"`
	Children  []json.RawMessage `json:"children,omitempty"`
	Fallback  string            `json:"fallback,omitempty"`
	Requires  []Capability      `json:"requires,omitempty"`
}

// Append appends the wire form of t, which is canonical: one tree has one form. It
// fails where [Tree.Check] does.
func (t Tree) Append(dst []byte) ([]byte, error) {
	if err := t.Check(); err != nil {
		return dst, err
	}
	b, err := encode(t.Root)
	if err != nil {
		return dst, err
	}
	return append(dst, b...), nil
}

func encode(n Node) ([]byte, error) {
	w := wireNode{Primitive: n.Props.Primitive(), Fallback: n.Fallback, Requires: n.Requires}
	props, err := marshal(n.Props)
	if err != nil {
		return nil, err
	}
	if string(props) != "{}" {
		w.Props = props
	}
	for _, c := range n.Children {
		b, err := encode(c)
		if err != nil {
			return nil, err
		}
		w.Children = append(w.Children, b)
	}
	return marshal(w)
}

// ParseTree reads the wire form of a tree that anybody may have written, and
// checks it.
func ParseTree(b []byte) (Tree, error) {
	if len(b) > MaxTree {
		return Tree{}, &ProblemError{ErrTooLarge, "", "a tree may have 4 MB"}
	}
	// A node is an object in an array; what is in its properties nests a few deep.
	if err := bounded(b, 2*MaxDepth+8); err != nil {
		return Tree{}, err
	}
	if err := unique(b, "", everywhere); err != nil {
		return Tree{}, err
	}
	d := treeDecoder{}
	root, err := d.node(b, "", 1)
	if err != nil {
		return Tree{}, err
	}
	t := Tree{root}
	return t, t.Check()
}

type treeDecoder struct{ nodes int }

func (d *treeDecoder) node(b []byte, path string, depth int) (Node, error) {
	if d.nodes++; d.nodes > MaxNodes {
		return Node{}, &ProblemError{ErrTooLarge, path, "a tree may have 256 nodes"}
	}
	if depth > MaxDepth {
		return Node{}, &ProblemError{ErrTooLarge, path, "nodes may nest 16 deep"}
	}
	var w wireNode
	if err := strict(b, path, &w); err != nil {
		return Node{}, err
	}
	kind, ok := propsTypes[w.Primitive]
	if !ok {
		return Node{}, &ProblemError{ErrInvalid, path + "/primitive", "expected one of the primitives"}
	}
	props := reflect.New(kind)
	if len(w.Props) > 0 && string(w.Props) != "null" {
		if err := strict(w.Props, path+"/props", props.Interface()); err != nil {
			return Node{}, err
		}
	}
	n := Node{Props: props.Elem().Interface().(Props), Fallback: w.Fallback, Requires: w.Requires}
	for i, c := range w.Children {
		child, err := d.node(c, path+"/children/"+strconv.Itoa(i), depth+1)
		if err != nil {
			return Node{}, err
		}
		n.Children = append(n.Children, child)
	}
	return n, nil
}

// propsTypes are the types of the properties. It is filled once and never changed.
var propsTypes = func() map[Primitive]reflect.Type {
	out := map[Primitive]reflect.Type{}
	for _, p := range vocabulary() {
		out[p.Primitive()] = reflect.TypeOf(p)
	}
	return out
}()

// byTypes are the same types, to tell them from pointers to them and from structs
// around them.
var byTypes = func() map[reflect.Type]bool {
	out := map[reflect.Type]bool{}
	for _, t := range propsTypes {
		out[t] = true
	}
	return out
}()
