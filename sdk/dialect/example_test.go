package dialect_test

import (
	"fmt"

	"github.com/seed-1ae66336/vak/sdk/dialect"
)

// A dialect escapes text so that a reader sees exactly that text, and reads it
// back.
func ExampleDialect() {
	for _, name := range []string{"html", "mrkdwn", "discord"} {
		d, _ := dialect.ByName(name)
		sent := d.Escape(nil, "1 < 2 & snake_case", dialect.Position{})
		fmt.Printf("%-8s %-28s %s\n", name, sent, d.Visible(nil, sent))
	}
	// Output:
	// html     1 &lt; 2 &amp; snake_case    1 < 2 & snake_case
	// mrkdwn   1 &lt; 2 &amp; snake_case    1 < 2 & snake_case
	// discord  1 < 2 & snake\_case          1 < 2 & snake_case
}
