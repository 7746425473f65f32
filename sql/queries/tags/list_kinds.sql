-- The tags that wallets have on any mint; no row for one without.
-- $1 text[]: wallets. Index: wallet_address_key, wallet_tag_pkey.
select wallet.address as wallet, array_agg(distinct wallet_tag.tag order by wallet_tag.tag) as tags
from wallet
join wallet_tag on wallet_tag.wallet_id = wallet.id
where wallet.address = any ($1)
group by wallet.address
