-- Figures of a wallet in some hours, by mint: covered sells, wins, realized (adjusted), and whether the
-- position is closed and sold in the window.
-- $1 integer: wallet id, $2 $3 bigint: the first and the last hour, Unix ms. Index: the primary keys of position_hour and
-- position.
select
  hour.token_id,
  token.address as mint,
  hour.covered_sell_count,
  hour.win_count,
  hour.realized_lamports,
  hour.sell_count > 0 and position.balance = 0 as is_closed
from (
  select
    token_id,
    sum(sell_count)::bigint as sell_count,
    sum(covered_sell_count)::bigint as covered_sell_count,
    sum(win_count)::bigint as win_count,
    sum(realized_adjusted) as realized_lamports
  from position_hour
  where wallet_id = $1 and hour_ms between $2 and $3
  group by token_id
) hour
join position on position.wallet_id = $1 and position.token_id = hour.token_id
join token on token.id = hour.token_id
