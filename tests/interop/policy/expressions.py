"""Random Rego expressions, most of them of fitting types."""

import json

NUMBERS = ["0", "1", "2", "3", "-1", "7", "10", "0.5", "2.5", "-0.1", "1e3", "100", "1.0"]
STRINGS = ["", "a", "b", "abc", "A.B", "x/y", " pad ", "héllo", "10", "-2.5", "zz", "a.b.c"]
KEYS = ["a", "b", "c", "k", "x"]
# Members of `input` and `data.base` by the type that they mostly have: see inputs.py.
KNOWN = {
    "number": ["input.n1", "input.n2", "input.f", "data.base.n", "input.obj.a"],
    "string": ["input.s1", "input.s2", "data.base.s"],
    "boolean": ["input.t", "input.u"],
    "array": ["input.nums", "input.words", "input.mixed", "data.base.nums", "data.base.words"],
    "object": ["input.obj", "input.deep", "data.base.obj", "input.deep.in"],
    "set": [],
}
TYPES = ["number", "string", "boolean", "array", "object", "set"]


class Expressions:
    """Expressions over the variables in scope: a list of (name, type)."""

    def __init__(self, random, functions):
        self.random = random
        self.functions = functions  # (name, number of arguments)
        self.names = 0

    def constant(self, kind=None):
        pick = self.random.choice
        kind = kind or pick(TYPES + ["null"])
        if kind == "number":
            return pick(NUMBERS)
        if kind == "string":
            return json.dumps(pick(STRINGS), ensure_ascii=False)
        if kind == "boolean":
            return pick(["true", "false"])
        if kind == "null":
            return "null"
        parts = [self.constant(pick(["number", "string"])) for _ in range(self.random.randint(0, 3))]
        if kind == "array":
            return "[" + ", ".join(parts) + "]"
        if kind == "set":
            return "{" + ", ".join(parts) + "}" if parts else "set()"
        return "{" + ", ".join(f'"{KEYS[i]}": {part}' for i, part in enumerate(parts)) + "}"

    def any(self, scope, depth=2):
        return self.of(self.random.choice(TYPES), scope, depth)

    def of(self, kind, scope, depth=2):
        """Now and then of another kind on purpose: what does not fit must fail alike."""
        chance = self.random.random()
        if chance < 0.03:
            return self.random.choice(["input.missing", "input.odd", "input.mixed[0]", "input"])
        if chance < 0.035:
            kind = self.random.choice(TYPES)
        fitting = [name for name, of_kind in scope if of_kind in (kind, "any")]
        if fitting and self.random.random() < 0.45:
            return self.random.choice(fitting)
        if depth <= 0 or self.random.random() < 0.25:
            known = KNOWN[kind]
            if known and self.random.random() < 0.85:
                return self.random.choice(known)
            return self.constant(kind)
        if self.functions and self.random.random() < 0.12:
            name, count = self.random.choice(self.functions)
            return f"{name}({', '.join(self.any(scope, depth - 1) for _ in range(count))})"
        return getattr(self, "_" + kind)(scope, depth - 1)

    def _number(self, scope, depth):
        number, pick = (lambda: self.of("number", scope, depth)), self.random.choice
        return pick([
            lambda: f"({number()} {pick('+-*/%')} {number()})",
            lambda: f"({number()} {pick('+-*')} {number()})",
            lambda: f"count({self.of(pick(['array', 'object', 'set', 'string']), scope, depth)})",
            lambda: f"{pick(['sum', 'product', 'max', 'min'])}({self._numbers(scope)})",
            lambda: f"{pick(['abs', 'round', 'ceil', 'floor'])}({number()})",
            lambda: f"indexof({self.of('string', scope, depth)}, {self.of('string', scope, 0)})",
            lambda: f"to_number({self.of(pick(['string', 'number', 'boolean']), scope, depth)})",
            lambda: f"{pick(['bits.and', 'bits.or', 'bits.xor'])}({number()}, {number()})",
            lambda: f"object.get({self.of('object', scope, depth)}, \"{pick(KEYS)}\", {number()})",
            lambda: f"strings.count({self.of('string', scope, depth)}, \"a\")",
            lambda: f"input.nums[{self.of('number', scope, 0)}]",
        ])()

    def _numbers(self, scope):
        return self.random.choice(["input.nums", "data.base.nums", self.constant("array"),
                                   "{x | some x in input.nums}",
                                   f"[(x * 2) | some x in {self.of('array', scope, 0)}]"])

    def _string(self, scope, depth):
        text, pick = (lambda: self.of("string", scope, depth)), self.random.choice
        number = lambda: self.of("number", scope, 0)  # noqa: E731
        return pick([
            lambda: f"{pick(['lower', 'upper', 'trim_space', 'strings.reverse'])}({text()})",
            lambda: f"concat({self.constant('string')}, {self._words(scope, depth)})",
            # OPA's finds an empty text also inside a character; ours does not.
            lambda: f"replace({text()}, {json.dumps(pick(STRINGS[1:]), ensure_ascii=False)}, {text()})",
            lambda: f"substring({text()}, {number()}, {number()})",
            lambda: f"{pick(['trim', 'trim_left', 'trim_right', 'trim_prefix', 'trim_suffix'])}"
                    f"({text()}, {self.constant('string')})",
            lambda: f'sprintf("{pick(["%v", "%d", "%s", "<%v>", "%5v|", "%x"])}", [{self.any(scope, depth)}])',
            lambda: f"format_int({number()}, {pick(['2', '8', '10', '16'])})",
            lambda: f"{pick(['base64.encode', 'hex.encode', 'urlquery.encode', 'crypto.sha256'])}({text()})",
            lambda: f"json.marshal({self.any(scope, depth)})",
            lambda: f"type_name({self.any(scope, depth)})",
            lambda: f"split({text()}, {self.constant('string')})[{pick('012')}]",
            lambda: f"input.deep.in[{self.of('string', scope, 0)}]",
        ])()

    def _words(self, scope, depth):
        if self.random.random() < 0.1:
            return self.of(self.random.choice(["array", "set"]), scope, depth)
        return self.random.choice(["input.words", "data.base.words", "{w | some w in input.words}",
                                   f"[{self.of('string', scope, depth)}]"])

    def _boolean(self, scope, depth):
        text, pick = (lambda: self.of("string", scope, depth)), self.random.choice
        return pick([
            lambda: f"{pick(['startswith', 'endswith', 'contains'])}({text()}, {text()})",
            lambda: f"({self.comparison(scope, depth)})",
            lambda: f"({self.any(scope, depth)} in {self._some_collection(scope, depth)})",
            lambda: f"{pick(['is_number', 'is_string', 'is_array', 'is_set', 'is_object', 'is_null'])}"
                    f"({self.any(scope, depth)})",
            lambda: f"regex.match({json.dumps(pick(['^a', 'b+$', '[0-9]', '^.?$']))}, {text()})",
            lambda: f'glob.match({json.dumps(pick(["*.b", "a*", "{a,b}", "?b", "**", "[a-z]*"]))}, ["."], {text()})',
            lambda: f"strings.any_prefix_match({text()}, {self._words(scope, depth)})",
            lambda: f"object.subset({self.of('object', scope, depth)}, {self.of('object', scope, 0)})",
        ])()

    def _some_collection(self, scope, depth):
        return self.of(self.random.choice(["array", "set", "object"]), scope, depth)

    def _array(self, scope, depth):
        array, pick = (lambda: self.of("array", scope, depth)), self.random.choice
        return pick([
            lambda: f"[{', '.join(self.any(scope, depth) for _ in range(self.random.randint(0, 3)))}]",
            lambda: f"array.concat({array()}, {array()})",
            lambda: f"array.slice({array()}, {self.of('number', scope, 0)}, {self.of('number', scope, 0)})",
            lambda: f"array.reverse({array()})",
            lambda: f"sort({self.of(pick(['array', 'set']), scope, depth)})",
            lambda: f"split({self.of('string', scope, depth)}, {self.constant('string')})",
            lambda: f"numbers.range({pick('0123')}, {self.of('number', scope, 0)})",
            lambda: self._comprehension("[", "]", scope, depth),
        ])()

    def _set(self, scope, depth):
        both, pick = (lambda: self.of("set", scope, depth)), self.random.choice
        return pick([
            lambda: self._set_literal(scope, depth),
            lambda: f"({both()} {pick('|&-')} {both()})",
            lambda: f"{pick(['union', 'intersection'])}({{{both()}, {both()}}})",
            lambda: f"object.keys({self.of('object', scope, depth)})",
            lambda: self._comprehension("{", "}", scope, depth),
        ])()

    def _set_literal(self, scope, depth):
        members = [self.any(scope, depth) for _ in range(self.random.randint(1, 3))]
        # OPA calls in an order of its own, which is seen where one is undefined and another an error.
        return "{" + ", ".join(members[:1] if "(" in "".join(members) else members) + "}"

    def _object(self, scope, depth):
        item, pick = (lambda: self.of("object", scope, depth)), self.random.choice
        keys = lambda: self.of(pick(["array", "set"]), scope, 0)  # noqa: E731
        return pick([
            lambda: "{" + ", ".join(f'"{key}": {self.any(scope, depth)}'
                                    for key in sorted(self.random.sample(KEYS, self.random.randint(0, 3)))) + "}",
            lambda: f"object.union({item()}, {item()})",
            lambda: f"{pick(['object.remove', 'object.filter'])}({item()}, {keys()})",
            lambda: f"{{k: v | some k, v in {item()}; {self.comparison(scope + [('v', 'any')], 0)}}}",
            lambda: f"{{{self.of('string', scope, depth)}: {self.any(scope, depth)}}}",
        ])()

    def _comprehension(self, opening, closing, scope, depth):
        self.names += 1
        name = f"e{self.names}"
        inner = scope + [(name, "any")]
        body = f"some {name} in {self._some_collection(scope, depth)}"
        if self.random.random() < 0.5:
            body += f"; {self.comparison(inner, 0)}"
        return f"{opening}{self.any(inner, 0)} | {body}{closing}"

    def comparison(self, scope, depth):
        operator = self.random.choice(["==", "!=", "<", "<=", ">", ">="])
        kind = self.random.choice(TYPES)
        return f"{self.of(kind, scope, depth)} {operator} {self.of(kind, scope, depth)}"
