// Command slack is the Slack surface of vak.
package main

import "github.com/seed-1ae66336/vak/sdk/surface"

func main() { surface.Serve(plugin()) }
