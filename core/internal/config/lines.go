package config

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// lines tells on which line of a file each table and value begins. The file is
// TOML: a parser has read it.
func lines(b []byte) map[string]int {
	out := map[string]int{}
	var p unstable.Parser
	p.Reset(b)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable && e.Kind != unstable.KeyValue {
			continue
		}
		path := []string{}
		if e.Kind == unstable.KeyValue {
			path = append(path, table...)
		}
		line := 0
		for it := e.Key(); it.Next(); {
			n := it.Node()
			if line == 0 {
				line = p.Shape(n.Raw).Start.Line
			}
			path = append(path, string(n.Data))
			if k := strings.Join(path, delimiter); out[k] == 0 {
				out[k] = line
			}
		}
		if e.Kind != unstable.KeyValue {
			table = path
		}
	}
	return out
}
