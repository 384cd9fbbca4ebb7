// Command gen makes the Go code of the protocol from its .proto files, with
// nothing but the Go toolchain and the module proxy: protocompile parses, the
// two official generators write.
//
//	gen PROTO_DIR OUT_DIR
//
// It is a module of its own so that its tools stay out of everybody's build.
// sdk/proto/generate.sh runs it.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// generators are tools of this module's go.mod, which pins their versions.
var generators = []struct{ tool, parameter string }{
	{"google.golang.org/protobuf/cmd/protoc-gen-go", "paths=source_relative"},
	{"google.golang.org/grpc/cmd/protoc-gen-go-grpc", "paths=source_relative,require_unimplemented_servers=true"},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen PROTO_DIR OUT_DIR")
		os.Exit(2)
	}
	if err := generate(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(ctx context.Context, protoDir, outDir string) error {
	paths, err := filepath.Glob(filepath.Join(protoDir, "vak", "v1", "*.proto"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("no .proto file in %s", filepath.Join(protoDir, "vak", "v1"))
	}
	var names []string
	for _, p := range paths {
		rel, err := filepath.Rel(protoDir, p)
		if err != nil {
			return err
		}
		names = append(names, filepath.ToSlash(rel))
	}
	slices.Sort(names)

	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{protoDir}}),
		SourceInfoMode: protocompile.SourceInfoStandard, // comments
	}
	files, err := compiler.Compile(ctx, names...)
	if err != nil {
		return err
	}
	var all []*descriptorpb.FileDescriptorProto
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(fd protoreflect.FileDescriptor) { // imports before importers
		if seen[fd.Path()] {
			return
		}
		seen[fd.Path()] = true
		for i := range fd.Imports().Len() {
			add(fd.Imports().Get(i).FileDescriptor)
		}
		all = append(all, protoutil.ProtoFromFileDescriptor(fd))
	}
	for _, f := range files {
		add(f)
	}
	for _, g := range generators {
		req := &pluginpb.CodeGeneratorRequest{FileToGenerate: names, Parameter: &g.parameter, ProtoFile: all}
		if err := run(ctx, g.tool, req, outDir); err != nil {
			return err
		}
	}
	return nil
}

// run gives req to a generator and writes what it answers into outDir, without
// the folders of the .proto files: the whole version is one Go package.
func run(ctx context.Context, tool string, req *pluginpb.CodeGeneratorRequest, outDir string) error {
	in, err := proto.Marshal(req)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "tool", tool)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	var resp pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &resp); err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	if resp.Error != nil {
		return fmt.Errorf("%s: %s", tool, resp.GetError())
	}
	if err := os.MkdirAll(outDir, 0o755); err != nil {
		return err
	}
	for _, f := range resp.File {
		path := filepath.Join(outDir, filepath.Base(filepath.FromSlash(f.GetName())))
		if err := os.WriteFile(path, []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
