-- The KOLs with the largest all-time realized profit, and each one's profit by day. $1 text: pnl_mode; $2 integer: how
-- many; $3 $4 bigint: first and last day, Unix ms with which they begin.
-- Result: a row a KOL and day with a trade, day_ms null where a KOL has none; by all_time descending, then
-- wallet, then day. Index: kol_pkey, wallet_address_key, the primary keys of position and position_hour.
with ranked as (
  select kol.wallet, kol.display_name, kol.twitter_handle, wallet.id as wallet_id, total.all_time
  from kol
  join wallet on wallet.address = kol.wallet
  cross join lateral (
    select sum(
      case $1
        when 'raw' then sells_lamports - buys_lamports
        when 'strict' then realized_strict
        else realized_adjusted
      end
    ) as all_time
    from position
    where wallet_id = wallet.id
  ) as total
  where total.all_time is not null
  order by total.all_time desc, kol.wallet
  limit $2
)
select ranked.wallet, ranked.display_name, ranked.twitter_handle, ranked.all_time, day.day_ms,
  day.realized
from ranked
left join lateral (
  select hour_ms / 86400000 * 86400000 as day_ms,
    sum(
      case $1
        when 'raw' then realized_raw
        when 'strict' then realized_strict
        else realized_adjusted
      end
    ) as realized
  from position_hour
  where wallet_id = ranked.wallet_id and hour_ms between $3 and $4::bigint + 86399999
  group by hour_ms / 86400000
) as day on true
order by ranked.all_time desc, ranked.wallet, day.day_ms
