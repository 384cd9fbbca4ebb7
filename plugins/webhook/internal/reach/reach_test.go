package reach

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/seed-1ae66336/vak/sdk/send"
)

func TestPublic(t *testing.T) {
	for _, k := range []struct {
		ip   string
		want bool
		why  string
	}{
		{"1.1.1.1", true, "of the internet"},
		{"93.184.216.34", true, "of the internet"},
		{"2606:4700::1111", true, "of the internet"},
		{"172.15.255.255", true, "just below what is private"},
		{"172.32.0.1", true, "just above"},
		{"100.63.255.255", true, "just below a carrier's own"},
		{"127.0.0.1", false, "loopback"},
		{"127.255.255.254", false, "loopback is more than one address"},
		{"0.0.0.0", false, "unspecified, which is loopback on Linux"},
		{"10.1.2.3", false, "private"},
		{"172.16.0.1", false, "private"},
		{"172.31.255.255", false, "private"},
		{"192.168.1.1", false, "private"},
		{"169.254.169.254", false, "the metadata of clouds"},
		{"100.64.0.1", false, "carrier-grade NAT"},
		{"100.100.100.200", false, "the metadata of another cloud"},
		{"192.0.0.192", false, "and of a third"},
		{"198.18.0.1", false, "benchmarks"},
		{"224.0.0.1", false, "multicast"},
		{"255.255.255.255", false, "broadcast"},
		{"::", false, "unspecified"},
		{"::1", false, "loopback"},
		{"::127.0.0.1", false, "IPv4-compatible"},
		{"::ffff:127.0.0.1", false, "IPv4-mapped loopback"},
		{"::ffff:1.1.1.1", false, "IPv4-mapped at all"},
		{"64:ff9b::7f00:1", false, "NAT64"},
		{"64:ff9b:1::a00:1", false, "local NAT64"},
		{"2002:7f00:1::", false, "6to4"},
		{"2001:0:4136:e378:8000:63bf:3fff:fdd2", false, "Teredo"},
		{"fc00::1", false, "unique local"},
		{"fd00:ec2::254", false, "the metadata of clouds"},
		{"fe80::1", false, "link-local"},
		{"fe80::1%eth0", false, "with a zone"},
		{"2606:4700::1111%eth0", false, "a zone has no place in the internet"},
		{"fec0::1", false, "site-local"},
		{"ff02::1", false, "multicast"},
		{"2001:db8::1", false, "documentation"},
	} {
		if got := Public(netip.MustParseAddr(k.ip)); got != k.want {
			t.Errorf("%s (%s): %v", k.ip, k.why, got)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

func TestGuard(t *testing.T) {
	for _, k := range []struct {
		host    string
		allow   []string
		address string
		ok      bool
		why     string
	}{
		{"example.org", nil, "1.1.1.1:443", true, "as most are"},
		{"example.org", nil, "1.1.1.1:80", true, "without TLS"},
		{"example.org", nil, "1.1.1.1:22", false, "another port"},
		{"example.org", nil, "[2606:4700::1111]:443", true, "IPv6"},
		{"example.org", nil, "127.0.0.1:443", false, "a public name with a private address"},
		{"example.org", []string{"other.example.org"}, "10.0.0.1:443", false, "another name is allowed"},
		{"example.org", []string{"org"}, "10.0.0.1:443", false, "a part of the name is"},
		{"hooks.internal", []string{"hooks.internal"}, "10.0.0.1:8080", true, "allowed by name, with any port"},
		{"HOOKS.Internal.", []string{"hooks.internal"}, "10.0.0.1:8080", true, "names have no case, and a dot at the end is none"},
		{"hooks.internal", []string{"hooks.internal"}, "169.254.169.254:80", false, "an allowed name that leads to a cloud's secrets"},
		{"hooks.internal", []string{"hooks.internal"}, "[::ffff:169.254.169.254]:80", false, "in disguise"},
		{"hooks.internal", []string{"hooks.internal"}, "0.0.0.0:80", false, "nowhere"},
		{"hooks.internal", []string{"hooks.internal"}, "224.0.0.1:80", false, "everywhere"},
		{"169.254.1.1", []string{"169.254.1.1"}, "169.254.1.1:80", true, "as it is written"},
		{"127.0.0.1", []string{"127.0.0.1"}, "127.0.0.1:1234", true, "loopback, for tests"},
		{"127.0.0.1", []string{"localhost"}, "127.0.0.1:1234", false, "the address is not the name"},
		{"::1", []string{"[::1]"}, "[::1]:1234", true, "brackets are no matter"},
		{"example.org", nil, "example.org:443", false, "no address at all"},
	} {
		err := New(k.host, k.allow).Control("tcp4", k.address, nil)
		if (err == nil) != k.ok || err != nil && !errors.Is(err, send.ErrBlocked) {
			t.Errorf("%s: %v", k.why, err)
		}
	}
	if New("example.org", nil).Control("udp", "1.1.1.1:443", nil) == nil {
		t.Error("a webhook is sent by TCP")
	}
}
