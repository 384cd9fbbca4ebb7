package main

import (
	"testing"

	"github.com/seed-1ae66336/vak/core/compile"
	"github.com/seed-1ae66336/vak/sdk/sdktest"
)

func TestGolden(t *testing.T) { sdktest.Golden(t, plugin(), "testdata/*.txtar", compile.Markdown) }

func TestConformance(t *testing.T) { sdktest.Conformance(t, plugin()) }
