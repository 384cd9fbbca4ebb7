package sdktest

import (
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest/fake"
)

// A Platform is a fake of the service behind a surface: an HTTP server that
// remembers what it was asked and answers what the test says. Package fake has
// those that behave like the platforms that vak knows.
type Platform = fake.Server

// An Answer is what a Platform says.
type Answer = fake.Answer

// NewPlatform starts a Platform, which lasts as long as the test. It answers
// every request with always but for those that Next says otherwise of.
func NewPlatform(t testing.TB, always Answer) *Platform {
	t.Helper()
	p := fake.Serve(func(fake.Request) Answer { return always })
	t.Cleanup(p.Close)
	return p
}
