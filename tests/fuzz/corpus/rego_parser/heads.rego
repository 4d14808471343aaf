package a

p.q[x].r contains y if some x, y in input

f(x, [_, y]) := z if z := (x + 1) * y - 2 % 3

o[k] := v if { v := {a: b | some a, b in k}; k := `raw` }

s := {x | x := [1, 2][_]; x & {1} | set()} { true } { false }

t := $"a {x + 1} \{ {"s"} {y with input as 1}"
