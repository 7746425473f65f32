-- Ranks of a stored ranking, arbitrageurs among them. $1 text: period, $2 text: pnl_mode,
-- $3 integer: limit, $4 integer: offset. Index: leaderboard_page_pkey, two pages at most.
select
  place + 1 as rank, wallet.address as wallet, rank.realized, rank.trade_count,
  rank.covered_sell_count, rank.win_count,
  exists (select from kol where kol.wallet = wallet.address) as is_kol
from leaderboard_page page
cross join lateral unnest(
  page.wallet_ids, page.realized, page.trade_counts, page.covered_sell_counts, page.win_counts
) with ordinality
  as rank (wallet_id, realized, trade_count, covered_sell_count, win_count, number)
cross join lateral (select page.page::bigint * 1000 + rank.number - 1 as place) as placed
join wallet on wallet.id = rank.wallet_id
where page.period = $1 and page.pnl_mode = $2
  and page.page between $4::integer / 1000 and ($4::bigint + $3::integer - 1) / 1000
  and place >= $4 and place < $4::bigint + $3
order by place
