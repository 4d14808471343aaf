// Exists so that the precompiled header has one owner.
