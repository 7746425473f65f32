-- name: sitemap/find_newest_token
-- The greatest id of a token; null without one. Index: token_pkey.
select max(id) as id from token

-- name: sitemap/list_ranked_wallets
-- The first wallets of a stored ranking, with the end of its hours. $1 text: period, $2 text: pnl_mode, $3 integer: pages of
-- 1,000 wallets. Indexes: leaderboard_pkey, leaderboard_page_pkey, wallet_pkey.
select wallet.address as account, ranking.to_ms as changed_ms
from leaderboard ranking
join leaderboard_page page on page.period = ranking.period and page.pnl_mode = $2 and page.page < $3
cross join lateral unnest(page.wallet_ids) with ordinality as ranked (wallet_id, number)
join wallet on wallet.id = ranked.wallet_id
where ranking.period = $1
order by page.page, ranked.number

-- name: sitemap/list_traded_tokens
-- Tokens with a swap, the newest first, with the time of their last swap. $1 $2 integer: first id, and the one after the last.
-- Indexes: token_pkey, pool_token.
select token.address as account, traded.changed_ms
from token
cross join lateral (
  select max(pool.newest_ms) as changed_ms from pool where pool.token_id = token.id
) as traded
where token.id >= $1 and token.id < $2 and traded.changed_ms is not null
order by token.id desc
