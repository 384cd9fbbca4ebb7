package reach

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-1ae66336/vak/sdk/send"
)

// reserved lists what is not of the public internet, or stands for an address that
// may not be. (IANA's special-purpose registries for IPv4 and IPv6.)
func reserved() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range []string{
		"0.0.0.0/8",       // this network
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // a carrier's own
		"127.0.0.0/8",     // loopback
		"169.254.0.0/16",  // link-local, where clouds tell their secrets
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // protocols
		"192.0.2.0/24",    // documentation
		"192.88.99.0/24",  // 6to4 relays
		"192.168.0.0/16",  // private
		"198.18.0.0/15",   // benchmarks
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // reserved, and broadcast
		"2001::/23",       // protocols, Teredo among them
		"2001:db8::/32",   // documentation
		"2002::/16",       // 6to4: an IPv4 address inside
		"3fff::/20",       // documentation
	} {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// unicast is what is given out of IPv6. All else is loopback, mapped, translated
// (NAT64), unique local, link-local, multicast or nothing yet.
var unicast = netip.MustParsePrefix("2000::/3")

// Public reports whether ip is of the public internet.
func Public(ip netip.Addr) bool {
	if !ip.IsValid() || ip.Zone() != "" || ip.Is6() && !unicast.Contains(ip) {
		return false
	}
	for _, p := range reserved() {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// A Guard decides about connections. It is safe for concurrent use.
type Guard struct {
	allowed bool // the host may be anywhere
	literal bool // the host is an address itself
}

// New returns the guard for connections to host. A host among allow, by name or by
// address, may have a private address and any port.
func New(host string, allow []string) Guard {
	host = canonical(host)
	var g Guard
	for _, a := range allow {
		g.allowed = g.allowed || canonical(a) == host
	}
	_, err := netip.ParseAddr(host)
	g.literal = err == nil
	return g
}

func canonical(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.Unmap().String()
	}
	return host
}

// Control is for [send.Config]. Its error is a [send.ErrBlocked].
func (g Guard) Control(network, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	switch {
	case err != nil || !strings.HasPrefix(network, "tcp"):
		return fmt.Errorf("%w: it is no address", send.ErrBlocked)
	case g.allowed && g.sane(at.Addr().Unmap()):
		return nil
	case at.Port() != 80 && at.Port() != 443:
		return fmt.Errorf("%w: port %s", send.ErrBlocked, strconv.Itoa(int(at.Port())))
	case !Public(at.Addr()):
		return fmt.Errorf("%w: it is not public", send.ErrBlocked)
	}
	return nil
}

// sane keeps an allowed name from leading to where no server of one's own is, such
// as the address at which clouds tell their secrets: that has to be allowed as it
// is written.
func (g Guard) sane(ip netip.Addr) bool {
	if ip.IsUnspecified() || ip.IsMulticast() {
		return false
	}
	return g.literal || !ip.IsLinkLocalUnicast()
}
