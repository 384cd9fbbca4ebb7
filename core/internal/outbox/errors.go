package outbox

// A Kind classifies an [Error]. Test for one with errors.Is.
type Kind string

func (k Kind) Error() string { return "outbox: " + string(k) }

// The kinds.
const (
	// NotFound is returned when there is no such job.
	NotFound Kind = "not_found"

	// State is returned when a job's state does not allow what is asked.
	State Kind = "state"
)

// An Error says why something cannot be done with a job, and what can.
type Error struct {
	Kind Kind
	Job  string
	What string
	Mend string
}

func (e *Error) Error() string {
	s := "job " + e.Job + " " + e.What
	if e.Mend != "" {
		s += "; " + e.Mend
	}
	return s
}

func (e *Error) Unwrap() error { return e.Kind }
