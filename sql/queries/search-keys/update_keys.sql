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
