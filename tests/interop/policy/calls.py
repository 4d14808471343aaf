"""Random calls of built-in functions, each a rule of its own. The same seed makes the same cases."""

import random as randomness

# What operands may be, by kind: ordinary ones, edges, and such that are refused.
POOLS = {
    "number": [0, 1, 2, -1, 7, 10, 255, 0.5, -2.5, 1e3, 3.0, 1e21, 9007199254740993, -9223372036854775808, 1e-7,
               123456789012345678901234567890],
    "small": [0, 1, 2, 3, -1, 5, 16, 2.5],
    "base": [2, 8, 10, 16, 3, 0],
    "text": ["", "a", "abc", "ABC", "a.b.c", "x/y", " pad\t", "héllo", "日本語", "ǅ ß İ", "10", "-2.5", "aXbXc", "a\nb",
             "\"q\"", "\\", "%41+b", "\u0000"],
    "numeral": ["10", "-2.5", "1e3", "0x10", "", " 1", "1.", ".5", "+3", "inf", "true", "007"],
    "pattern": ["^a", "b+$", "[0-9]+", "(a)(b)?", "x*", "^.?$", "(?i)ABC", "\\pL", "[", "(?P<n>a)", "a|b", "\\d{2,3}",
                "[^a]", "\\bb", "$"],
    # Not the same as a pattern: OPA remembers both in one place.
    "template": ["a{b+}c", "{.*}", "ab", "{", "{[a-z]}b"],
    "opening": ["{"],
    "closing": ["}"],
    "glob": ["*", "**", "a*", "*.b.*", "a.?.c", "{a,b}*", "[a-c]*", "[!a]*", "a\\*", "*b*c", "a.{b,x}.c", "https://*.com"],
    "delimiter": [[], ["."], ["/"], [".", "/"], None],
    "host": ["a.b.c", "abc", "", "b", "a", "https://x.com", "a*", "a.x.c", "ab.bc"],
    "network": ["10.0.0.0/8", "10.1.2.0/24", "192.168.1.1/32", "::/0", "2001:db8::/32", "10.0.0.0/33", "10.1.2.3", "x",
                "::ffff:10.0.0.0/104", "10.1.2.3/24", "0.0.0.0/0", "fe80::1%eth0/64", ""],
    "address": ["10.1.2.3", "192.168.1.1", "2001:db8::1", "::ffff:10.1.2.3", "010.1.2.3", "10.1.2", "10.1.2.0/25", "::1", ""],
    "small_network": ["10.0.0.0/30", "10.0.0.255/31", "2001:db8::/126", "10.1.2.3/32", "x", "10.1.2.3"],
    "networks": [["10.0.0.0/8", "10.1.2.0/24"], ["10.0.0.0/24", "10.0.1.0/24"], [], ["10.0.0.1", "10.0.0.2"], ["x"],
                 ["::/1", "8000::/1"], ["192.0.2.0/26", "192.0.2.64/26", "192.0.2.128/25"]],
    "json": ["{\"a\": [1, 2.50, null]}", "[]", "1e2", "{\"a\":1,\"a\":2}", "", "{", "\"\\u00e9\\ud83d\\ude00\"", "[1] x", " true ",
             "01"],
    "yaml": ["a: 1\nb: [x, 'y']", "- 1\n- true\n- null", "a: &x 1\nb: *x", "a: b: c", "", "yes", "1.0", "|\n  x\n  y", "0x1F",
             "{a: 1, b: {c: 2}}", "'it''s'"],
    "base64": ["YWJj", "YQ==", "YQ", "", "Y_-", "!!!!", "YWJj\n", "Y+/=", "4pyT"],
    "hex": ["616263", "6", "", "zz", "C3A9", "e282ac"],
    "query": ["a=1&b=2", "a=1&a=2", "a", "", "a=%41+b", "%zz=1", "a;b=1", "=1"],
    "url": ["https://u:p@a.com:8080/x/y?q=1#f", "http://[::1]:80/", "a b", "", "//h/p", "mailto:x@y", "http://a.com:x/",
            "HTTP://A.COM/%7e", "/only/path", "https://a.com?x"],
    "semver": ["1.0.0", "1.0.1", "1.0.0-rc.1", "1.0.0-rc.2", "1.0", "v1.0.0", "1.0.0+x", "01.0.0", "2.10.0", ""],
    "unit": ["10", "1K", "1Ki", "1.5M", "1e3", "10m", "-1G", "", "x", "1 K", "\"1K\"", "1KB", "1KiB", "1e", ".5G", "1T", "1.b"],
    "instant": [0, 1700000000000000000, -1, 1709251199999999999, 1e18, 9223372036854775807, 253402300800000000000, 1.5],
    "zone": ["UTC", "Europe/Berlin", "America/New_York", "", "Nowhere/X", "Asia/Kolkata"],
    "layout": ["2006-01-02", "2006-01-02T15:04:05Z07:00", "Jan 2, 2006 at 3:04pm (MST)", "RFC1123", "ANSIC", "15:04:05.000",
               "02/01/06", "Mon Jan _2", "RFC3339Nano"],
    "date": ["2024-02-29", "2023-02-29", "2024-02-29T12:30:00Z", "2024-02-29T12:30:00.123456789+05:30", "x", "",
             "Thu, 29 Feb 2024 12:30:00 UTC", "12:30:00.500", "29/02/24", "Jan 2, 2024 at 3:04pm (UTC)"],
    "duration": ["1h", "1h30m", "-1.5s", "100ms", "1us", "1d", "", "1", "1h-2m", ".5h", "9999999h"],
    "words": [["a", "abc"], [], ["x/y", "héllo"], ["", "b"], ["a", 1], "a"],
    "array": [[], [1, 2, 3], ["b", "a", 1, None, True, [0], {"x": 1}], [1, 1.0, 2], [[1, [2]], 3], [0.5, -1]],
    "object": [{}, {"a": 1, "b": {"c": [1, 2]}}, {"a": {"b": {"c": 3}}, "d": None}, {"x": [{"y": 1}, {"y": 2}]}, {"b": 2}],
    "keys": [["a"], ["b", "x"], [], {"a": 1}, ["a", 1], "a"],
    "paths": [["a"], ["a/b"], [["a", "b"]], ["/x/0/y"], [], ["x"], ["b/c/0"], [["x", "1"]]],
    "patches": [[{"op": "add", "path": "/z", "value": 1}], [{"op": "remove", "path": "/a"}], [{"op": "test", "path": "/a", "value": 1}],
                [{"op": "move", "from": "/a", "path": "/q"}], [{"op": "replace", "path": "/b/c/0", "value": [9]}], [],
                [{"op": "copy", "from": "/a", "path": "/a2"}], [{"op": "x"}], [{"op": "add", "path": "/x/-", "value": 0}]],
    "graph": [{"a": ["b"], "b": ["c"], "c": []}, {"a": ["a", "b"], "b": []}, {}, {"a": ["x"]}, {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}],
    "format": ["%v", "%d", "%s", "%q", "%x", "%5.2f|", "%-8v|", "%05d", "%t", "%e", "%v %v", "%%", "%[2]v %[1]v", "%!", "%+d", "%c", "%U",
               "%08.3f", "%b", "%o", "%T", "%#v", "%g", "% x", "%.2s", "%3c|", "%*d", "plain"],
    "uuid": ["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8", "x", "",
             "{6ba7b810-9dad-41d1-80b4-00c04fd430c8}", "6BA7B8109DAD11D180B400C04FD430C8"],
    "any": [0, "a", None, True, False, [1, "a"], {"a": [1]}, 2.50, "", [], {}, -1e3, "héllo"],
}
CALLS = """
abs number | ceil number | floor number | round number | format_int number base | to_number numeral | to_number any
numbers.range small small | numbers.range_step small small small | sum array | product array | max array | min array
bits.and number number | bits.or number number | bits.xor number number | bits.negate number | bits.lsh number small
bits.rsh number small | plus number number | minus number number | mul number number | div number number | rem number number
array.concat array array | array.slice array small small | array.reverse array | array.flatten array | sort array | sort any
count any | concat text words | contains text text | startswith text text | endswith text text | lower text | upper text
indexof text text | indexof_n text text | split text text | strings.split_n text text small | sprintf format array | sprintf format any
strings.any_prefix_match text words | strings.any_suffix_match text words | strings.count text text | strings.reverse text
substring text small small | trim text text | trim_left text text | trim_right text text | trim_prefix text text
trim_suffix text text | trim_space text | regex.match pattern text | regex.is_valid pattern | regex.split pattern text
regex.find_n pattern text small | regex.find_all_string_submatch_n pattern text small | regex.replace text pattern text
regex.template_match template text opening closing | glob.match glob delimiter host | glob.quote_meta glob
net.cidr_contains network address | net.cidr_contains network network | net.cidr_intersects network network
net.cidr_is_valid network | net.cidr_expand small_network | net.cidr_merge networks | net.cidr_contains_matches networks networks
json.unmarshal json | json.is_valid json | json.marshal any | json.filter object paths | json.remove object paths
json.patch object patches | yaml.unmarshal yaml | yaml.is_valid yaml | yaml.marshal any
base64.encode text | base64.decode base64 | base64.is_valid base64 | base64url.encode text | base64url.decode base64
base64url.encode_no_pad text | hex.encode text | hex.decode hex | urlquery.encode text | urlquery.decode query
urlquery.encode_object object | urlquery.decode_object query | uri.parse url | uri.is_valid url
crypto.md5 text | crypto.sha1 text | crypto.sha256 text | crypto.hmac.sha256 text text | crypto.hmac.equal text text
semver.compare semver semver | semver.is_valid semver | units.parse unit | units.parse_bytes unit | uuid.parse uuid
time.add_date instant small small small | time.clock instant | time.date instant | time.weekday instant
time.format instant | time.format zoned | time.format formatted | time.parse_ns layout date | time.parse_rfc3339_ns date
time.parse_duration_ns duration | time.diff instant instant | time.clock zoned | time.date zoned
object.filter object keys | object.get object text any | object.get object words any | object.keys object | object.remove object keys
object.subset any any | object.subset object object | object.union object object | graph.reachable graph words
graph.reachable_paths graph words | is_array any | is_number any | is_string any | is_object any | is_null any | is_boolean any
type_name any | walk object | union sets | intersection sets
"""
SIGNATURES = [call.split() for call in CALLS.replace("\n", "|").split("|") if call.strip()]
_CALLS_OF_A_CASE = 12
_WRONG_KIND = 0.04


class Calls:
    def __init__(self, seed):
        self.random = randomness.Random(seed)

    def _operand(self, kind):
        pick = self.random.choice
        if kind not in ("template", "opening", "closing") and self.random.random() < _WRONG_KIND:
            kind = "any"
        if kind == "zoned":
            return [self._operand("instant"), self._operand("zone")]
        if kind == "formatted":
            return [self._operand("instant"), self._operand("zone"), self._operand("layout")]
        return pick(POOLS[kind])

    def case(self):
        """Operands come by the input: what constants would be refused for is then an error or undefined."""
        rules, values = [], []
        for i in range(_CALLS_OF_A_CASE):
            name, *kinds = self.random.choice(SIGNATURES)
            if kinds == ["sets"]:
                values.append([self._operand("array"), self._operand("array")])
                rules.append(f"r{i} := {name}({{{{x | some x in input.v[{i}][0]}}, {{x | some x in input.v[{i}][1]}}}})")
                continue
            values.append([self._operand(kind) for kind in kinds])
            operands = ", ".join(f"input.v[{i}][{j}]" for j in range(len(kinds)))
            if name == "walk":
                rules.append(f"r{i} contains x if walk({operands}, x)")
            else:
                rules.append(f"r{i} := {name}({operands})")
        return {"module": "package gen\n\n" + "\n\n".join(rules) + "\n", "data": {}, "inputs": [{"v": values}],
                "queries": [f"data.gen.r{i}" for i in range(_CALLS_OF_A_CASE)], "strict": self.random.random() < 0.5}


def cases(seed, count):
    calls = Calls(seed)
    return [calls.case() for _ in range(count)]
