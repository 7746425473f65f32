-- The sector of a mint; no row where it has none. $1 text: mint. Index: token_with_sector.
select sector from token where address = $1 and sector <> ''
