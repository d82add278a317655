//! The interactive front end.
