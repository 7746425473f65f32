-- Begins to read a whole ranking: a cursor of the transaction, read by fetch_rows. $1 to $8: as in
-- leaderboard/list_ranks. Result: its columns, and `bits`: the tags of the wallet on any mint, null without any.
declare exported_leaderboard no scroll cursor for
select ranks.*, wallet_profile.tags as bits
from (
  {+ranked_wallets}
) as ranks
left join wallet on wallet.address = ranks.wallet
left join wallet_profile on wallet_profile.wallet_id = wallet.id
order by ranks.rank
