package sandbox

import (
	"path/filepath"
	"strings"
)

// TransportReadSet returns the fixed read set of a transport, for Policy.Read:
// what the resolver, TLS and local time need. Callers may change the slice.
//
// Landlock grants a file, not its name: a file that is replaced while a process
// runs, rather than written, cannot be read by that process any more. Where
// /etc/resolv.conf points into a directory that a network manager keeps below
// /run, that directory is in the set, so that a replacement can be read. Where
// it is a plain file, the process has to be started again after a change.
func TransportReadSet() []string {
	set := []string{
		// the resolver
		"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols",
		// certificate authorities: where crypto/x509 looks, and where the links
		// found there point to
		"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem",
		"/etc/pki/tls/certs", "/etc/pki/tls/cacert.pem", "/etc/pki/ca-trust/extracted", "/etc/ca-certificates/extracted",
		"/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/var/lib/ca-certificates",
		// time zones
		"/etc/localtime", "/usr/share/zoneinfo", "/usr/lib/locale/TZ",
	}
	if target, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && resolverDir(filepath.Dir(target)) {
		set = append(set, filepath.Dir(target))
	}
	return set
}

// resolverDir reports whether dir is one that a network manager has to itself.
func resolverDir(dir string) bool {
	rest, ok := strings.CutPrefix(dir, "/run/")
	return ok && rest != "" && !strings.HasPrefix(rest, "user/") && rest != "user"
}
