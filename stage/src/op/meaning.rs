//! What each op means on constants: the definition that folding, the interpreter and the tests share.
