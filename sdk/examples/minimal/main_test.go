package main

import (
	"testing"

	"github.com/seed-1ae66336/vak/sdk/sdktest"
)

func TestGolden(t *testing.T)      { sdktest.PackGolden(t, pack, "testdata/*.txtar") }
func TestConformance(t *testing.T) { sdktest.PackConformance(t, pack) }
