-- Deletes the tags of wallets that created a pool of which the creation was retracted: they are computed again when they are
-- read. $1 text[]: addresses. Indexes: wallet_address_key, wallet_profile_pkey, the primary key of wallet_tag.
with reset as (
  update wallet_profile
  set computed_ms = 0, tags = 0, changed_by = pg_current_xact_id()
  from wallet
  where wallet.address = any ($1) and wallet_profile.wallet_id = wallet.id
  returning wallet_profile.wallet_id
)
delete from wallet_tag
using reset
where wallet_tag.wallet_id = reset.wallet_id
