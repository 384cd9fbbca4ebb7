package host

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"math/big"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/hostapi"
)

// TestUnwantedCertificate has a plugin show one where no TLS was asked for, at
// which go-plugin's client would panic, and the host with it.
func TestUnwantedCertificate(t *testing.T) {
	needSandbox(t)
	leavesNothing(t)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	hello := "1|1|unix|$TMPDIR/s|grpc|" + base64.RawStdEncoding.EncodeToString(certificate)
	folder, _ := scripted(t, `echo "`+hello+`"; read line`)
	_, e := granted{interpreter: "/bin/sh"}.start(t, folder, hostapi.RoleSkill)
	named(t, e, Contract, FromPlugin, "a certificate that it was not asked for")
}
