-- Ids of the tokens of a sector. $1 text: its search key, not ''. Index: token_sector.
select id from token where sector_key = $1 and sector_key <> ''
