-- Wallets by what they realized in a span of hours; parameters $1 to $4 as in leaderboard/list_ranks.
with ranked as (
  select figures.wallet_id, wallet.address as wallet,
    case $3
      when 'raw' then figures.realized_raw
      when 'strict' then figures.realized_strict
      else figures.realized_adjusted
    end as realized,
    figures.trade_count, figures.covered_sell_count, figures.win_count
  from window_wallets($1, $2) as figures
  join wallet on wallet.id = figures.wallet_id
  where figures.wallet_id <> all ($4::integer[])
)
select
  row_number() over (order by realized desc, wallet) as rank, wallet, realized, trade_count,
  covered_sell_count, win_count,
  exists (select from kol where kol.wallet = ranked.wallet) as is_kol
from ranked
order by rank
