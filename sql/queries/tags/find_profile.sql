-- A wallet that ever traded, when its tags were computed (null: never), and the newest indexed swap's time.
-- $1 text: address. Index: wallet_address_key, wallet_profile_pkey.
select wallet.id, profile.computed_ms, newest_swap_ms() as newest_ms
from wallet
left join wallet_profile profile on profile.wallet_id = wallet.id
where wallet.address = $1
