-- The sector of a mint; no row where it has none. $1 text: mint. Index: the unique key of token.
select sector from token where address = $1 and sector <> ''
