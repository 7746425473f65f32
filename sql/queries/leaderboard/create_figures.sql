-- What every wallet of a window did, for ranking it: gone with the transaction. $1 $2 bigint: first and
-- last hour; $3 $4: those by which arbitrageurs are told; $5 $6: the slots that hold their swaps.
create temp table leaderboard_figures on commit drop as
select figures.*, wallet.address as wallet,
  figures.wallet_id in (select wallet_id from arbitrageurs($3, $4, $5, $6)) as is_arbitrageur
from window_wallets($1, $2) as figures
join wallet on wallet.id = figures.wallet_id
