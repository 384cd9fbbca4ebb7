package cards

import (
	"strconv"

	"github.com/seed-1ae66336/vak/sdk/card"
)

func recipe(_ string, p card.Recipe) card.Tree { return card.Of(p) }

type chartPayload struct {
	Title   string
	Form    string `json:"chart_type"`
	Summary string `json:"accessible_summary"`
	XLabel  string `json:"x_label"`
	YLabel  string `json:"y_label"`
	Series  []card.Series
}

func chart(_ string, p chartPayload) card.Tree {
	for i := range p.Series {
		if s := &p.Series[i]; s.Name == "" {
			s.Name = "Series " + strconv.Itoa(i+1)
			if len(p.Series) == 1 && p.YLabel != "" {
				s.Name = p.YLabel
			}
		}
	}
	return card.Of(card.Chart{Form: p.Form, Title: p.Title, Summary: p.Summary, XLabel: p.XLabel, YLabel: p.YLabel, Series: p.Series})
}

type mediaPayload struct {
	URL         string
	Title       string
	Description string
	SiteName    string `json:"site_name"`
	Image       string
	Source      string
	MediaType   string `json:"media_type"`
	Alt         string
	Caption     string
}

func media(typ string, p mediaPayload) card.Tree {
	switch typ {
	case "link.preview":
		return card.Of(card.LinkPreview{URL: p.URL, Title: p.Title, Description: p.Description, Site: p.SiteName, Image: p.Image})
	case "media.video":
		return card.Of(card.Video{Source: p.Source, Alt: p.Alt, MediaType: p.MediaType, Caption: p.Caption})
	case "media.audio":
		return card.Of(card.Audio{Source: p.Source, Alt: p.Alt, MediaType: p.MediaType, Caption: p.Caption})
	}
	return card.Of(card.Image{Source: p.Source, Alt: p.Alt, MediaType: p.MediaType, Caption: p.Caption})
}
