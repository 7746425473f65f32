-- KOLs by wallet. $1 text: only wallets after it ('': from the first), $2 integer: how many.
-- Index: kol_pkey.
select wallet, display_name, twitter_handle
from kol
where wallet > $1
order by wallet
limit $2
