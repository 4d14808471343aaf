"""Random policies with inputs. The same seed makes the same cases."""

import random as randomness
import re

from expressions import KEYS, STRINGS, Expressions

KINDS = ["number", "string", "boolean", "array", "object", "set"]


class Generator:
    def __init__(self, seed):
        self.random = randomness.Random(seed)
        self.rules = []  # that may be referred to: those made before
        self.names = 0
        self.expressions = None

    def case(self):
        self.rules, self.names = [], 0
        strict = self.random.random() < 0.25
        functions = [(f"f{i}", self.random.randint(1, 2)) for i in range(self.random.randint(0, 2))]
        self.expressions = Expressions(self.random, [])
        texts = []
        for function in functions:
            texts.append(self._function(*function))
            self.expressions.functions.append(function)  # the next may call it: no recursion
        for i in range(self.random.randint(1, 3)):
            texts.append(self._rule(f"p{i}"))
            self.rules.append(f"data.gen.p{i}")
        return {"module": _without_unused("package gen\n\n" + "\n\n".join(texts) + "\n"),
                "data": {"base": self._base()},
                "inputs": [self._input() for _ in range(3)],
                "queries": list(self.rules),
                "strict": strict}

    # Rules

    def _rule(self, name):
        make = self.random.choice([self._complete, self._complete, self._with_default, self._else,
                                   self._partial_set, self._partial_object, self._reference_head])
        return make(name)

    def _kind(self):
        return self.random.choice(KINDS)

    def _head_value(self, scope, kind=None):
        return self.expressions.of(kind or self._kind(), scope)

    def _complete(self, name):
        """Several bodies of one rule may disagree: then both must say that they conflict."""
        kind = self._kind()
        value = self.expressions.constant(kind) if self.random.random() < 0.5 else None
        texts = []
        rules, functions = self.rules, self.expressions.functions
        if value:
            # The first body that holds is enough. OPA tries them in another order: no conflict may hide in them.
            self.rules, self.expressions.functions = [], []
        for _ in range(self.random.choice([1, 1, 2, 3])):
            body, scope = self._body([])
            texts.append(f"{name} := {value or self._head_value(scope, kind)} if {body}")
        self.rules, self.expressions.functions = rules, functions
        return "\n\n".join(texts)

    def _with_default(self, name):
        return f"default {name} := {self.expressions.constant()}\n\n" + self._complete(name)

    def _else(self, name):
        body, scope = self._body([])
        text = f"{name} := {self._head_value(scope)} if {body}"
        for _ in range(self.random.randint(1, 2)):
            body, scope = self._body([])
            text += f" else := {self._head_value(scope)} if {body}"
        return text

    def _partial_set(self, name):
        texts = []
        for _ in range(self.random.randint(1, 3)):
            body, scope = self._body([])
            texts.append(f"{name} contains {self._head_value(scope)} if {body}")
        return "\n\n".join(texts)

    def _partial_object(self, name):
        texts = []
        for _ in range(self.random.randint(1, 2)):
            body, scope = self._body([])
            key = self._head_value(scope, self.random.choice(["string", "number"]))
            texts.append(f"{name}[{key}] := {self._head_value(scope)} if {body}")
        return "\n\n".join(texts)

    def _reference_head(self, name):
        texts = []
        for part in self.random.sample(KEYS, self.random.randint(1, 3)):
            body, scope = self._body([])
            if self.random.random() < 0.5:
                texts.append(f"{name}.{part} := {self._head_value(scope)} if {body}")
            else:
                texts.append(f"{name}.{part} contains {self._head_value(scope)} if {body}")
        return "\n\n".join(texts)

    def _function(self, name, count):
        texts = []
        for _ in range(self.random.randint(1, 2)):
            arguments, scope = [], []
            for i in range(count):
                if self.random.random() < 0.05:
                    arguments.append(self.expressions.constant())
                else:
                    arguments.append(f"a{i}")
                    scope.append((f"a{i}", "any"))
            body, inner = self._body(scope)
            # Of an argument that only comprehensions use OPA knows no type, and refuses some.
            known = "".join(f"\n\ttype_name({argument}) != \"\"" for argument, _ in scope)
            texts.append(f"{name}({', '.join(arguments)}) := {self._head_value(inner)} if {{{known}{body[1:]}")
        return "\n\n".join(texts)

    # Bodies

    def _body(self, scope):
        literals, scope = self._literals(scope, self.random.randint(1, 3))
        if self.random.random() < 0.08:
            self.random.shuffle(literals)  # what is safe in some order is safe in any
        return "{\n\t" + "\n\t".join(literals) + "\n}", scope

    def _literals(self, scope, count):
        literals, scope = [], list(scope)
        for _ in range(count):
            text, more = self._literal(scope)
            literals.append(text)
            scope += more
        return literals, scope

    def _new_name(self):
        self.names += 1
        return f"v{self.names}"

    def _literal(self, scope):
        make = self.random.choice([
            self._some, self._some, self._assign, self._assign, self._compare, self._compare,
            self._true, self._negated, self._every, self._unified, self._index, self._earlier_rule,
        ])
        return make(scope)

    def _collection(self, scope):
        return self.expressions.of(self.random.choice(["array", "object", "set"]), scope)

    def _some(self, scope):
        one, two = self._new_name(), self._new_name()
        if self.random.random() < 0.5:
            return f"some {one} in {self._collection(scope)}", [(one, "any")]
        return f"some {one}, {two} in {self._collection(scope)}", [(one, "any"), (two, "any")]

    def _assign(self, scope):
        name, kind = self._new_name(), self._kind()
        return f"{name} := {self.expressions.of(kind, scope)}", [(name, kind)]

    def _compare(self, scope):
        return self.expressions.comparison(scope, 1), []

    def _true(self, scope):
        return self.expressions.of("boolean", scope), []

    def _negated(self, scope):
        text = self._simple(scope)
        # OPA takes a body of `not true` for one of `true` where a call is the key of the head.
        return f"not {'input.u' if text == 'true' else text}", []

    def _simple(self, scope):
        return self.random.choice([lambda: self.expressions.comparison(scope, 1),
                                   lambda: self.expressions.of("boolean", scope, 1)])()

    def _every(self, scope):
        name = self._new_name()
        collection = self._collection(scope)
        inner = self._simple(scope + [(name, "any")])
        return f"every {name} in {collection} {{ {inner} }}", []

    def _unified(self, scope):
        one, two = self._new_name(), self._new_name()
        more = [(one, "any"), (two, "any")]
        # Patterns against literals of another shape are errors, and seldom interesting ones.
        array = self.random.choice(["input.nums", "input.mixed", "data.base.words", "[input.n1, input.s1]"])
        item = self.random.choice(["input.obj", "data.base.obj", "input.deep", '{"a": input.f, "b": input.nums}'])
        if self.random.random() < 0.1:
            array, item = self.expressions.of("array", scope), self.expressions.of("object", scope)
        first = self.expressions.any(scope)
        # With a comprehension beside them OPA takes some variables for bound that are not.
        if "|" in item:
            item = "input.obj"
        if "|" in first:
            first = "input.n1"
        return self.random.choice([
            f"[{one}, {two}] = {array}",
            f"[{one}, {{\"a\": {two}}}] = [{first}, {item}]",
            f"{{\"a\": {one}, \"b\": {two}}} = {item}",
            f"{one} = {self.expressions.any(scope)}; {two} = {one}",
        ]), more

    def _index(self, scope):
        one, two = self._new_name(), self._new_name()
        base = self.random.choice(["input.nums", "input.words", "input.obj", "input.deep.in", "data.base.obj",
                                   "data.base.nums", "input.mixed"])
        return f"{two} := {base}[{one}]", [(one, "any"), (two, "any")]

    def _earlier_rule(self, scope):
        if not self.rules:
            return self._compare(scope)
        rule = self.random.choice(self.rules)
        change = self.random.choice([
            "", "", f" with input.n1 as {self.expressions.any(scope, 0)}",
            f" with input as {self.expressions.of('object', scope, 1)}",
            f" with data.base.n as {self.expressions.constant('number')}",
            f" with input.s1 as {self.expressions.constant('string')} with input.obj as {self.expressions.constant('object')}",
            " with count as 3", " with startswith as true",
        ])
        name = self._new_name()
        return self.random.choice([f"{name} := {rule}{change}", f"{name} = {rule}{change}"]), [(name, "any")]

    # Documents

    def _value(self, depth=1):
        pick = self.random.choice
        kind = pick(["number", "string", "null", "boolean", "array", "object"][: 6 if depth else 4])
        if kind == "number":
            return pick([0, 1, 2, 3, -1, 7, 0.5, 2.5, 10])
        if kind == "string":
            return pick(STRINGS)
        if kind == "boolean":
            return pick([True, False])
        if kind == "array":
            return [self._value(0) for _ in range(self.random.randint(0, 3))]
        if kind == "object":
            return {pick(KEYS): self._value(0) for _ in range(self.random.randint(0, 3))}
        return None

    def _numbers(self):
        return [self.random.choice([0, 1, 2, 3, 5, -1, 2.5, 1]) for _ in range(self.random.randint(0, 4))]

    def _words(self):
        return [self.random.choice(STRINGS) for _ in range(self.random.randint(0, 4))]

    def _input(self):
        pick = self.random.choice
        found = {"n1": pick([0, 1, 2, 7, -1]), "n2": pick([0, 1, 3, 10]), "f": pick([0.5, 2.5, -0.1, 1]),
                 "s1": pick(STRINGS), "s2": pick(STRINGS), "t": True, "u": pick([True, False]),
                 "nums": self._numbers(), "words": self._words(),
                 "mixed": [self._value() for _ in range(self.random.randint(0, 4))],
                 "obj": {key: self._value() for key in self.random.sample(KEYS, self.random.randint(0, 4))},
                 "deep": {"in": {pick(STRINGS): self._value() for _ in range(2)}, "a": self._value()},
                 "odd": self._value()}
        if self.random.random() < 0.2:
            del found[pick(sorted(found))]
        return found

    def _base(self):
        return {"n": self.random.choice([0, 1, 2, 5]), "s": self.random.choice(STRINGS),
                "nums": self._numbers(), "words": self._words(),
                "obj": {key: self._value() for key in self.random.sample(KEYS, 3)}}


def _without_unused(module):
    """A name that `some` or `every` declares must be used: else it becomes `_`. All names are different."""

    def declaration(found):
        names = [name if len(re.findall(rf"\b{name}\b", module)) > 1 else "_"
                 for name in re.findall(r"\w+", found[2])]
        return f"{found[1]} {', '.join(names)} in"

    return re.sub(r"\b(some|every) ([ve]\d+(?:, v\d+)?) in", declaration, module)


def cases(seed, count):
    generator = Generator(seed)
    return [generator.case() for _ in range(count)]
