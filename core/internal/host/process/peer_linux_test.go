package process

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnotherProcessAnswers dials a socket on which somebody else listens than
// the process that was started.
func TestAnotherProcessAnswers(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(short(t), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := dialPeer(context.Background(), &runner{peerPath: l.Addr().String()}); err == nil || !strings.Contains(err.Error(), "answers in place of") {
		t.Errorf("err = %v", err)
	}
}
