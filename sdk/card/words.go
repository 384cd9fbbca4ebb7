package card

import (
	"math"
	"strconv"
	"strings"
)

// words are all that [Tree.Blocks] says beside what a tree says.
type words struct {
	of, least, most, last, throughout           string // of figures
	noRows, noPoints, noTests, noChanges, noOut string
	rowsOf, pointsOf, itemsOf                   string // "20 of 365 points"
	metric, value, change                       string // heads of a table of figures
	command, exit, in, took                     string // of work
	passed, failed, skipped                     string
	servings, ingredients, steps, sources       string
	status, path                                string
	picture, video, audio                       string
	err                                         string
	empty                                       string
	timer                                       string // before how long a step takes
	note, success, warning, danger, important   string // titles of callouts that have none
	asOf, against, period, evidence             string // of a context
	timerUnits                                  [3][2]string
	one, many                                   string // bytes
}

// wordsFor are the words of a locale. There is one language so far.
func wordsFor(string) *words { return &english }

var english = words{
	of: "of", least: "min", most: "max", last: "last", throughout: "throughout",
	noRows: "No rows.", noPoints: "No points.", noTests: "No tests.", noChanges: "No changes.", noOut: "No output.",
	rowsOf: "rows", pointsOf: "points", itemsOf: "items",
	metric: "Metric", value: "Value", change: "Change",
	command: "Command", exit: "Exit", in: "in", took: "Took",
	passed: "passed", failed: "failed", skipped: "skipped",
	servings: "Servings", ingredients: "Ingredients", steps: "Steps", sources: "Sources",
	status: "Status", path: "Path",
	picture: "Picture", video: "Video", audio: "Audio",
	err: "Error", empty: "Nothing to show.",
	timer: "for",
	note:  "Note", success: "Success", warning: "Warning", danger: "Danger", important: "Important",
	asOf: "As of", against: "compared with", period: "period", evidence: "evidence",
	timerUnits: [3][2]string{{"hour", "hours"}, {"minute", "minutes"}, {"second", "seconds"}},
	one:        "byte", many: "bytes",
}

// tone is the title of a callout that has none.
func (w *words) tone(t Tone) string {
	switch t {
	case Info:
		return w.note
	case Success:
		return w.success
	case Warning:
		return w.warning
	case Danger:
		return w.danger
	case Accent:
		return w.important
	}
	return ""
}

// duration is a time in milliseconds as a reader takes it in: 850 ms, 3.2 s, 2 min
// 5 s. What is no time stays as it was written.
func (w *words) duration(ms Scalar) string {
	f, ok := ms.Float()
	switch {
	case !ok || f < 0:
		return ms.String()
	case f < 1000:
		return ms.String() + " ms"
	}
	if s := f / 1000; s < 59.95 {
		return short(s) + " s"
	}
	s := math.Round(f / 1000)
	if s > 1e15 {
		return ms.String() + " ms"
	}
	h, m, rest := int64(s)/3600, int64(s)/60%60, int64(s)%60
	var parts []string
	for _, p := range []struct {
		n    int64
		unit string
	}{{h, "h"}, {m, "min"}, {rest, "s"}} {
		if p.n > 0 {
			parts = append(parts, strconv.FormatInt(p.n, 10)+" "+p.unit)
		}
	}
	return strings.Join(parts, " ")
}

// timing is a time in seconds in whole words: 1 hour 30 minutes.
func (w *words) timing(seconds Scalar) string {
	f, ok := seconds.Float()
	if !ok {
		return seconds.String()
	}
	if f < 1 || f > 1e15 || f != math.Trunc(f) {
		return seconds.String() + " " + w.timerUnits[2][1]
	}
	n := int64(f)
	var parts []string
	for i, v := range []int64{n / 3600, n / 60 % 60, n % 60} {
		switch {
		case v == 1:
			parts = append(parts, "1 "+w.timerUnits[i][0])
		case v > 1:
			parts = append(parts, strconv.FormatInt(v, 10)+" "+w.timerUnits[i][1])
		}
	}
	return strings.Join(parts, " ")
}

// size is a number of bytes: 512 bytes, 12 KB, 1.2 MB.
func (w *words) size(bytes Scalar) string {
	f, ok := bytes.Float()
	switch {
	case !ok:
		return bytes.String()
	case f == 1:
		return bytes.String() + " " + w.one
	case f < 1000 || f >= 1e18:
		return bytes.String() + " " + w.many
	}
	units := []string{"KB", "MB", "GB", "TB", "PB"}
	i := 0
	for f /= 1000; f >= 999.5 && i < len(units)-1; i++ {
		f /= 1000
	}
	return short(f) + " " + units[i]
}

// short is a number with one decimal below 100, where that says something.
func short(f float64) string {
	if f >= 99.95 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// mediaTypes are kinds of file as people call them.
var mediaTypes = map[string]string{
	"application/pdf":    "PDF",
	"application/zip":    "ZIP archive",
	"application/gzip":   "gzip archive",
	"application/json":   "JSON",
	"application/xml":    "XML",
	"application/msword": "Word document",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word document",
	"application/vnd.ms-excel": "Excel workbook",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "Excel workbook",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint presentation",
	"text/csv":        "CSV",
	"text/html":       "HTML",
	"text/markdown":   "Markdown",
	"text/plain":      "text",
	"image/png":       "PNG picture",
	"image/jpeg":      "JPEG picture",
	"image/gif":       "GIF picture",
	"image/webp":      "WebP picture",
	"image/svg+xml":   "SVG picture",
	"audio/mpeg":      "MP3 audio",
	"audio/ogg":       "Ogg audio",
	"audio/wav":       "WAV audio",
	"video/mp4":       "MP4 video",
	"video/webm":      "WebM video",
	"video/quicktime": "QuickTime video",
}

// mediaType is a media type as people call it, or itself.
func mediaType(s string) string {
	if name, ok := mediaTypes[strings.ToLower(s)]; ok {
		return name
	}
	return s
}

// mark is the sign of a status that has one.
func (s Status) mark() string {
	switch s {
	case Done, Passed:
		return "✓"
	case InProgress:
		return "◐"
	case Planned:
		return "○"
	case Blocked:
		return "⛔"
	case Failed, Cancelled:
		return "✗"
	case Skipped:
		return "⊘"
	}
	return ""
}

// word is a status as it is read.
func (s Status) word() string {
	return strings.ReplaceAll(string(s), "_", " ")
}
