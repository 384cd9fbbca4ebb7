package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxSecret bounds a secret.
const maxSecret = 64 << 10

// Reference reports whether a text refers to a secret.
func Reference(s string) bool { return strings.HasPrefix(s, "env:") || strings.HasPrefix(s, "file:") }

// Secret resolves a reference: env:NAME from the environment, file:PATH from a
// file, without the newline at its end. Its error names the reference and never
// what it refers to.
func Secret(_ context.Context, ref string) (string, error) {
	if name, ok := strings.CutPrefix(ref, "env:"); ok {
		if v := os.Getenv(name); v != "" {
			return v, nil
		}
		return "", fmt.Errorf("the environment has no %s", name)
	}
	path, ok := strings.CutPrefix(ref, "file:")
	if !ok {
		return "", errors.New("a secret is env:NAME or file:PATH")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the secret in %s cannot be read: %s", path, cause(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("the secret in %s cannot be read: %s", path, cause(err))
	case len(b) > maxSecret:
		return "", fmt.Errorf("the secret in %s has more than %d bytes", path, maxSecret)
	}
	v := strings.TrimRight(string(b), "\r\n")
	if v == "" {
		return "", fmt.Errorf("the secret in %s is empty", path)
	}
	return v, nil
}

// Resolve returns settings with every reference replaced by what it refers to.
func Resolve(ctx context.Context, settings json.RawMessage, secret func(context.Context, string) (string, error)) (json.RawMessage, error) {
	var v any
	if err := json.Unmarshal(settings, &v); err != nil {
		return nil, errors.New("the settings are no JSON")
	}
	v, err := resolve(ctx, v, secret)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func resolve(ctx context.Context, v any, secret func(context.Context, string) (string, error)) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		if Reference(v) {
			return secret(ctx, v)
		}
	case map[string]any:
		for k := range v {
			if v[k], err = resolve(ctx, v[k], secret); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = resolve(ctx, v[i], secret); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
