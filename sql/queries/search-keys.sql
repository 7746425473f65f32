-- name: search-keys/find_version
-- By which version the search keys were computed; no row before the first time.
select version from search_key_version

-- name: search-keys/list_tokens
-- Tokens that have a text, by id. $1 integer: to go on after, $2 integer: how many. Index: token_pkey.
select id, symbol, name, sector
from token
where id > $1 and (symbol is not null or name is not null or sector is not null)
order by id
limit $2

-- name: search-keys/list_unkeyed
-- Tokens without a key of a text that they have, by id. $1 integer: to go on after, $2 integer: how many.
-- Index: token_unkeyed.
select id, symbol, name, sector
from token
where
  id > $1
  and (
    symbol is not null and symbol_key is null or name is not null and name_key is null
    or sector is not null and sector_key is null
  )
order by id
limit $2

-- name: search-keys/store_version
-- Stores the version by which the search keys were computed. $1 text: version. Index: search_key_version_pkey.
insert into search_key_version (version) values ($1)
on conflict (is_only) do update set version = excluded.version

-- name: search-keys/update_keys
-- Stores texts without padding, and their keys; a token whose texts were changed meanwhile is skipped, because that
-- change stored keys. Pairwise: $1 integer[] ids, $2 $3 $4 text[]: symbol, name, sector as they were read, $5 $6 $7
-- text[]: the same without padding, $8 $9 $10 text[]: their keys. Index: token_pkey.
update token set
  symbol = line.symbol,
  name = line.name,
  sector = line.sector,
  symbol_key = line.symbol_key,
  name_key = line.name_key,
  sector_key = line.sector_key
from unnest(
  $1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
  $8::text[], $9::text[], $10::text[]
) as line (
  id, read_symbol, read_name, read_sector, symbol, name, sector, symbol_key, name_key, sector_key
)
where
  token.id = line.id
  and token.symbol is not distinct from line.read_symbol
  and token.name is not distinct from line.read_name
  and token.sector is not distinct from line.read_sector
