package a.b

p[x] := y if [x, {"b": y}] = [1, input.a[2]]

q contains [i, v] if data.a.b.p[i] = v

r if { a := {1, 2, 3}; a[2]; {z | z := a[_]; z > 1} == {2, 3} }

s := data.a.b.r with input.a as []

t := sprintf("%v", [input.o]) if count(input.a) == 3 else := "none"

u.v.w := walked if walked := [path | walk(input, [path, "x"])]
