//go:build !linux

package install

import "errors"

// exchangeAtOnce is not to be had here.
func exchangeAtOnce(string, string) error { return errors.ErrUnsupported }
