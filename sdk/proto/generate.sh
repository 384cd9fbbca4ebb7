#!/bin/sh
# Makes the Go code of the protocol: sdk/proto/vak/v1 -> sdk/internal/wire/v1.
# Needs the Go toolchain and a module proxy or a filled module cache; no protoc.
#
#   sdk/proto/generate.sh          write the code (make gen)
#   sdk/proto/generate.sh --check  fail if the committed code is not what the
#                                  protocol says (make gen-check)
set -eu
cd "$(dirname "$0")/.."
sdk=$(pwd)
out=$sdk/internal/wire/v1

generate() { (cd "$sdk/internal/wire/gen" && GOFLAGS=-mod=readonly GOWORK=off go run . "$sdk/proto" "$1"); }

case "${1-}" in
"")
	generate "$out"
	;;
--check)
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	generate "$tmp"
	if ! diff -ru "$out" "$tmp"; then
		echo "generate.sh: sdk/internal/wire/v1 is not what sdk/proto says; run sdk/proto/generate.sh and commit the result" >&2
		exit 1
	fi
	;;
*)
	echo "usage: generate.sh [--check]" >&2
	exit 2
	;;
esac
