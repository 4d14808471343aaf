package t

default allow := false

allow if {
	input.s in {"text", "other"}
	some x in input.a
	x > 1
	not blocked
}

blocked if every k, v in input.o { startswith(k, v) }

names contains n if some n, _ in input

sizes[n] := count(v) if some n, v in input

nested[k].l contains v if some k, v in input.o

f(x) := y if y := x + 1

else := 0

p := [f(x) | some x in input.a] with input.n as 6

q := object.get(p, 0, 1)
