-- Ids of the tokens of a sector. $1 text. Index: token_sector.
select id from token where sector = $1
