package template

// A Format is a template before it is compiled.
type Format struct {
	ID       string
	Revision int
	Text     string
	About    string // one sentence for a list
}

// BuiltIn are the templates that every home has. One of the same id takes the
// place of them.
var BuiltIn = []Format{
	{"plain-body", 1, "{body}", "The answer and nothing else."},
	{"titled", 1, "{?title}\n# {title}\n{/title}\n\n{body}", "The title as a heading, then the answer. It gives answers a title that have one in their metadata only."},
	{"report", 1, "{?title}\n## {title}\n{/title}\n\n{?metadata.summary}\n> {metadata.summary}\n{/metadata.summary}\n\n{body}\n\n{?metadata.source}\n*Source: {metadata.source}*\n{/metadata.source}", "Title, summary, answer and source, as far as there are any."},
}
