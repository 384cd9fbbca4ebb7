package compile_test

import (
	"fmt"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/doc"
)

func ExampleMarkdown() {
	d, err := compile.Markdown("# Report\n\nAll **three** tests pass, see [the log](https://example.com/log).\n\n1. build\n2. test\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range d.Blocks {
		fmt.Println(b.BlockID(), b.Kind())
		for s := range doc.Visible(b) {
			fmt.Printf("  %q\n", s)
		}
	}
	// Output:
	// 1 heading
	//   "Report"
	// 2 paragraph
	//   "All "
	//   "three"
	//   " tests pass, see "
	//   "the log"
	//   "https://example.com/log"
	//   "."
	// 3 list
	//   "1"
	//   "build"
	//   "2"
	//   "test"
}
