-- Ranks of a stored ranking without arbitrageurs. $1 text: period, $2 text: pnl_mode, $3 integer: limit,
-- $4 integer: offset. Index: leaderboard_page_honest, from the page that may hold the offset.
select
  place + 1 as rank, wallet.address as wallet, rank.realized, rank.trade_count,
  rank.covered_sell_count, rank.win_count,
  exists (select from kol where kol.wallet = wallet.address) as is_kol
from leaderboard_page page
cross join lateral (
  select each.*, page.honest_before + row_number() over (order by each.number) - 1 as place
  from unnest(
    page.wallet_ids, page.arbitrageurs, page.realized, page.trade_counts,
    page.covered_sell_counts, page.win_counts
  ) with ordinality as each (
    wallet_id, is_arbitrageur, realized, trade_count, covered_sell_count, win_count, number
  )
  where not each.is_arbitrageur
) as rank
join wallet on wallet.id = rank.wallet_id
where page.period = $1 and page.pnl_mode = $2 and page.honest_count > 0
  and page.honest_before > $4::bigint - 1000 and page.honest_before < $4::bigint + $3::integer
  and place >= $4 and place < $4::bigint + $3
order by place
