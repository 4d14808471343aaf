package a

p if {
	x ==
}

q := [1,

r { s }
