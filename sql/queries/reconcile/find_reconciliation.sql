-- A wallet that ever traded, and when its newest pass began, Unix ms; null before the first.
-- $1 text: address. Index: wallet_address_key, reconciliation_pkey.
select wallet.id, reconciliation.reconciled_ms
from wallet
left join reconciliation on reconciliation.wallet_id = wallet.id
where wallet.address = $1
