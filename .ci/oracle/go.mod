module github.com/seed-1ae66336/vak/oracle

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/seed-1ae66336/vak v0.0.0
	pgregory.net/rapid v1.3.0
)

replace github.com/seed-1ae66336/vak => ../..
