-- A wallet, whether a swap of it is indexed, when its tags were computed (null: never), and the newest indexed swap's time.
-- $1 text: address. Index: wallet_address_key, wallet_profile_pkey, those of has_traded().
select wallet.id, profile.computed_ms, newest_swap_ms() as newest_ms, has_traded(wallet.id) as has_traded
from wallet
left join wallet_profile profile on profile.wallet_id = wallet.id
where wallet.address = $1
