-- Positions of a mint by wallets that are smart money in any mint, the highest score first, ties by wallet.
-- $1 integer: token id; $2 integer: rows. Result: `total` of all such positions in every row; `held` is the sum of all
-- holders of the mint. Index: wallet_tag_smart, the primary key of position, position_token, that of mint_decimals().
-- From the wallets to the mint: smart money is rare, holders of a mint may be a million.
with smart as materialized (
  select wallet_id, max(score) as score
  from wallet_tag
  where tag = 'smart_money'
  group by wallet_id
)
select
  count(*) over ()::integer as total,
  (select coalesce(sum(balance), 0) from position where token_id = $1 and balance > 0) as held,
  wallet.address as wallet,
  smart.score,
  position.balance, (select newest.decimals from mint_decimals($1) as newest) as decimals,
  position.basis, position.realized_adjusted,
  position.buys_lamports, position.sells_lamports, position.largest_buy_lamports,
  position.first_trade_ms, position.last_trade_ms
from smart
join position
  on (position.wallet_id, position.token_id) >= (smart.wallet_id, $1)
    and (position.wallet_id, position.token_id) <= (smart.wallet_id, $1)
join wallet on wallet.id = smart.wallet_id
order by smart.score desc, wallet.address
limit $2
