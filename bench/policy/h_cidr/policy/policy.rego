package mcp.fetch

# Partners are known by their networks; some addresses are never right.
default allow := false

allow if {
	input.method in {"GET", "HEAD"}
	some network in partners
	net.cidr_contains(network, input.url_parsed.host)
	not forbidden
}

forbidden if {
	some network in never
	net.cidr_contains(network, input.url_parsed.host)
}

partners := [
	"192.0.2.0/26",
	"192.0.2.128/25",
	"198.51.100.0/27",
	"198.51.100.64/26",
	"198.18.0.0/16",
	"198.19.32.0/20",
	"203.0.113.0/26",
	"203.0.113.128/25",
	"2001:db8:1::/48",
	"2001:db8:2:40::/60",
]

never := [
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.168.0.0/16",
	"224.0.0.0/4",
	"::1/128",
	"fc00::/7",
	"fe80::/10",
]
