-- name: udf/find_symbol
-- The token of a mint, with the price of its top pool, or the token of a pair account, with the price there (the busiest
-- pool where several mints were reported for it, ties by mint). $1 text: mint or pair account; no row for neither. Price: SOL per whole
-- token, null before the first. Indexes: token_address_key, pool_pair_address_token_id_key, those of token_prices().
select token.address as mint, token.symbol, token.name, priced.price
from token
left join token_prices(array[token.id]) as priced on true
where token.address = $1
  and {+known_token}
union all
(
  select token.address as mint, token.symbol, token.name, pool.last_price as price
  from pool
  join token on token.id = pool.token_id
  where pool.pair_address = $1
    and {+known_pool}
  order by pool.swap_count desc, token.address
  limit 1
)
limit 1

-- name: udf/find_past_symbol
-- Whether a mint or pair account was known at a slot, see known_token and known_pool. $1 text: mint or pair account, $2 bigint:
-- slot. `mint`: $1 where it is one; no row for neither. `is_named_later`: only lines of tokens after the slot are stored, which
-- may have taken the place of earlier ones. Indexes: token_address_key, pool_pair_address_token_id_key, pool_token,
-- pool_event_pool.
select token.address as mint, fact.is_known, not fact.is_known and fact.is_later as is_named_later
from token
{+known_at_slot}
where token.address = $1
union all
(
  select null as mint, true as is_known, false as is_named_later
  from pool
  where pool.pair_address = $1
    and (
      pool.first_slot <= $2::bigint
      or exists (select from pool_event where pool_event.pool_id = pool.id and pool_event.slot <= $2::bigint)
    )
  limit 1
)
limit 1
