package a

p[x] { x = data.a[_]; not q[x] }

q = 1 { true } else = 2 { false }

r["b"] = true
