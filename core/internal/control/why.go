package control

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-1ae66336/vak/core/internal/pipeline/plan"
	"github.com/seed-1ae66336/vak/core/ledger"
	"github.com/seed-1ae66336/vak/core/packet"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

// A Why tells why an answer looks as it does on one target.
type Why struct {
	Target string `json:"target"`
	Job    string `json:"job,omitempty"`
	Entry  string `json:"entry,omitempty"`
	plan.Plan
	Renderer packet.Renderer  `json:"renderer"`
	Template *packet.Template `json:"template,omitempty"`
	Said     []doc.Diagnostic `json:"diagnostics,omitempty"`
}

// why tells of an entry of the ledger.
func (a *api) why(r *http.Request) (any, error) {
	q := r.URL.Query()
	id, err := ledger.ParseEntryID(q.Get("entry"))
	if err != nil {
		return nil, &Error{Kind: Invalid, What: fmt.Sprintf("%.80q is no entry of a ledger", q.Get("entry")), Mend: "write SESSION/NUMBER, such as notices/12"}
	}
	var surfaces []string
	for _, list := range q["surface"] {
		for s := range strings.SplitSeq(list, ",") {
			if s != "" {
				surfaces = append(surfaces, s)
			}
		}
	}
	all, err := a.backend.WhyEntry(r.Context(), id, surfaces)
	if all == nil {
		all = []Why{}
	}
	return all, err
}

// WhyJob tells why a job looks as it does.
func (c *Client) WhyJob(ctx context.Context, id string) (w Why, err error) {
	return w, c.get(ctx, "/v1/jobs/"+escape(id)+"/why", &w)
}

// WhyEntry tells why an entry of the ledger looks as it does on some surfaces;
// none: on all that there are.
func (c *Client) WhyEntry(ctx context.Context, entry string, surfaces []string) (w []Why, err error) {
	q := url.Values{"entry": {entry}, "surface": surfaces}
	return w, c.get(ctx, "/v1/why?"+q.Encode(), &w)
}
