-- name: replay/list_marks
-- How far each pool lane has read SWAP and has committed. Index: the primary key of checkpoint.
select lane, stream_epoch, sequence, commit_number
from checkpoint
where actor = 'pool'

-- name: replay/list_tokens
-- Mints after an id with the values of their token lines. $1 integer: id, $2 integer: rows, $3 smallint[]: those with a
-- pool of these venues, null for all. Excludes mints that are known only by their swaps,
-- and texts that were looked up (slot -1).
-- Index: the primary key of token, pool_token.
select
  token.id, token.address as token_address, token.creator, token.creator_slot, token.decimals,
  token.decimals_slot, token.symbol, nullif(token.symbol_slot, -1) as symbol_slot, token.name,
  nullif(token.name_slot, -1) as name_slot, token.supply, token.supply_slot, token.sector, token.sector_slot,
  token.uri, nullif(token.uri_slot, -1) as uri_slot
from token
where token.id > $1
  and (
    $3::smallint[] is null
    or exists (select from pool where pool.token_id = token.id and pool.dex = any ($3))
  )
  and (
    coalesce(
      token.creator_slot, token.decimals_slot, nullif(token.symbol_slot, -1), nullif(token.name_slot, -1),
      token.supply_slot, token.sector_slot, nullif(token.uri_slot, -1)
    ) is not null
    or not exists (select from pool where pool.token_id = token.id)
  )
order by token.id
limit $2
