package a

import future.keywords.and
import future.keywords.not
import future.keywords.or

p if (a and not b) or { c; d } with input.x as 1

q if not { x | y; z }
