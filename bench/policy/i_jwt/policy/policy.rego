package mcp.fetch

# Who asks carries a token of our issuer that lets them read.
default allow := false

allow if {
	input.method == "GET"
	startswith(input.headers.authorization, "Bearer ")
	token := substring(input.headers.authorization, 7, -1)
	[valid, _, claims] := io.jwt.decode_verify(token, {
		"cert": keys,
		"alg": "RS256",
		"iss": "https://login.example.com",
		"aud": "https://api.example.com",
	})
	valid
	"read:items" in split(claims.scope, " ")
}

keys := `{"keys":[{"kty":"RSA","kid":"k1","alg":"RS256","use":"sig","e":"AQAB","n":"zUZmyXNzYaa45mFzjxpr1w5hK2E321SP9Gp0CpNAXLzPTyVqAb84LcaGvv_u49OUbCaqHfxf0E2USg0G6OV7lgDqw9yGUGe7FiE66SkoRd185j1KmT6kyb4NKCw1A3LXew6nko6CWF0btJVVsYniURCNuwNtCfIgzTBQcqASAQGLDg_0N5_fw5rnlD9se5w_2kiM4iu42omekqZldwMoT2FE7scnx-wFGvKD7cotG1ExcGQHDSmtmgkpDvboi1VF2iaBN6g-P3M_SDpxRYBh5fhcnsR0Wtg09m1oeXNy8afK4Y5d13z06qn4SU25waPy0ePZ-s5PkIOxgHjJnabbOw"}]}`
