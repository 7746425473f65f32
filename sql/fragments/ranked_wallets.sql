-- Wallets by what they realized in a span of hours; parameters $1 to $8 as in leaderboard/list_ranks.
with ranked as (
  select figures.wallet_id, wallet.address as wallet,
    case $7
      when 'raw' then figures.realized_raw
      when 'strict' then figures.realized_strict
      else figures.realized_adjusted
    end as realized,
    figures.trade_count, figures.covered_sell_count, figures.win_count
  from window_wallets($1, $2) as figures
  join wallet on wallet.id = figures.wallet_id
  where not $8::boolean
    or figures.wallet_id not in (select wallet_id from arbitrageurs($3, $4, $5, $6))
)
select
  row_number() over (order by realized desc, wallet) as rank, wallet, realized, trade_count,
  covered_sell_count, win_count,
  exists (select from kol where kol.wallet = ranked.wallet) as is_kol
from ranked
order by rank
