-- Holdings of a wallet by token by the ledger, in whole tokens, and whether it held that at the end of a day and ever
-- since: where all its trades are of that day, no later than the last requested one, their order by days is that of the
-- ledger.
-- $1 integer: wallet id, $2 bigint: last day, Unix ms of its beginning.
-- Result: as of list_quantities, by token; `is_whole` false: the caller must fold the token's swaps. Tokens with a
-- holding of 0 by then are left out. Index: the primary keys of position and position_hour, that of mint_decimals().
select token_id, from_ms, $2::bigint + 86400000 as until_ms, quantity, is_whole
from (
  select
    position.token_id,
    position.balance,
    position.balance::double precision / (
      10::double precision ^ (select newest.decimals from mint_decimals(position.token_id) as newest)
    ) as quantity,
    traded.first_ms / 86400000 * 86400000 as from_ms,
    coalesce(
      traded.first_ms / 86400000 = traded.last_ms / 86400000
        and traded.last_ms < $2::bigint + 86400000,
      false
    ) as is_whole
  from position
  -- By the hours: the first and the last trade of a position are those by slot.
  left join (
    select token_id, min(hour_ms) as first_ms, max(hour_ms) as last_ms
    from position_hour
    where wallet_id = $1
    group by token_id
  ) as traded on traded.token_id = position.token_id
  where position.wallet_id = $1
) as own
where balance > 0 or not is_whole
order by token_id
