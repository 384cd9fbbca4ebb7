package control

// Reasons is why jobs are held or dead, and why targets wait, with what it means
// and what an operator does about it: the one table that the command line and the
// runbook have it from.
var Reasons = []struct {
	Reason string
	Of     string // what is so: held, dead_letter, discarded or target
	Parks  bool   // it cannot go, rather than that it shall not
	Means  string
	Mend   string
}{
	{"until_complete", "held", false, "it waits until its turn is complete, a day at most", `nothing to do; "vak outbox release" sends it now`},
	{"digest", "held", false, "it waits for the next digest of its target", `nothing to do; "vak outbox release" sends it now`},
	{"quiet_hours", "held", false, "its target wants quiet at this time", `nothing to do; "vak outbox release" sends it now`},
	{"by_hand", "held, dead_letter, discarded", false, "somebody did it with \"vak outbox\" or the API", `"vak outbox retry" sends it`},
	{"no_transport", "held, target", true, "no transport sends for its surface and account", `install or configure one, or restart the one that is out of order; it goes by itself then. "vak plugin list" shows what there is`},
	{"head_of_line", "held", true, "it failed again and again while the next one of its target arrived, so it lets others pass", `nothing to do, it is tried again at its own times; the last failure in "vak outbox show" says why it does not arrive`},
	{"unknown_outcome", "held", true, "a message was sent and nothing says whether it arrived", `look at the target: if it is there, "vak outbox discard", else "vak outbox retry"`},
	{"unreadable", "held", true, "its content or its history cannot be read", `"vak ledger verify" and "vak doctor" say what is damaged; then "vak outbox retry" or "discard"`},
	{"newer_version", "held", true, "a later version of vak wrote it", `run that version, or a later one`},
	{"refused", "dead_letter", false, "the platform will never take it as it is", `mend what the last failure says, such as a right of the bot, then "vak outbox retry"`},
	{"target_gone", "dead_letter, target", false, "the platform says that the target is not there any more; what waited for it was given up without being sent", `if it is back, "vak outbox retry" opens it again; else "vak outbox discard"`},
	{"exhausted", "dead_letter", false, "it was tried ten times over a day, or for three days", `mend what the last failure says, then "vak outbox retry"`},
	{"expired", "dead_letter", false, "the time to answer it was over before it arrived", `nothing to do; ask again`},
	{"superseded", "dead_letter", false, "a later progress of its turn took its place", `nothing to do`},
	{"too_long", "dead_letter", false, "even half of one of its messages is too long for the platform", `set a smaller "max" for the surface, then send the answer again`},
	{"breaker", "target", false, "five attempts failed in a row, so nothing is tried for a while: a minute, then up to 15", `nothing to do, it tries by itself; "vak outbox retry" tries at once`},
	{"rate_limited", "target", false, "the platform asked to wait", `nothing to do; it goes on by itself`},
}

// Reason says what a reason means and what to do about it.
func Reason(r string) (means, mend string) {
	for _, row := range Reasons {
		if row.Reason == r {
			return row.Means, row.Mend
		}
	}
	return "this vak does not know the reason", "update the vak command"
}

func knownReason(r string) bool {
	for _, row := range Reasons {
		if row.Reason == r {
			return true
		}
	}
	return false
}
