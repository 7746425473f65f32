-- Sealed chunks of lots. $1 integer[] wallet_id, $2 integer[] token_id, $3 integer[] chunk (pairwise).
-- Index: the primary key of lot_chunk.
select lot_chunk.wallet_id, lot_chunk.token_id, lot_chunk.chunk, lot_chunk.lots
from unnest($1::integer[], $2::integer[], $3::integer[]) as wanted (wallet_id, token_id, chunk)
join lot_chunk on lot_chunk.wallet_id = wanted.wallet_id
  and lot_chunk.token_id = wanted.token_id
  and lot_chunk.chunk = wanted.chunk
