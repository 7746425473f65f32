-- The tags that wallets have on any mint, as bits (domain/wallet/wallet-tag.ts); no row for one without. By the profiles: a
-- wallet may have as many tags as there are mints.
-- $1 text[]: wallets. Index: wallet_address_key, wallet_profile_pkey.
select wallet.address as wallet, wallet_profile.tags as bits
from wallet
join wallet_profile on wallet_profile.wallet_id = wallet.id
where wallet.address = any ($1) and wallet_profile.tags <> 0
