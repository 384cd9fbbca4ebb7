package archive

import "fmt"

// An Error says what is wrong with an archive or a folder, and which entry of it.
type Error struct {
	Archive string // its path, as it was given
	Entry   string // empty: it is about the whole
	What    string
	Mend    string
	Err     error // the cause; may be nil
}

func (e *Error) Error() string {
	s := e.Archive
	if e.Entry != "" {
		s += fmt.Sprintf(": entry %s", shown(e.Entry))
	}
	s += ": " + e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Mend != "" {
		s += "; " + e.Mend
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// shown is a name as it may stand in an error: quoted, cut to size.
func shown(name string) string {
	if r := []rune(name); len(r) > 100 {
		name = string(r[:99]) + "…"
	}
	return fmt.Sprintf("%+q", name)
}

const (
	another = "get the plugin from its author again"
	anew    = "have its author pack it anew"
)

// refuse is an error about an entry, which Unpack completes.
func refuse(entry, what, mend string) error { return &Error{Entry: entry, What: what, Mend: mend} }
