-- A row where a wallet has a swap no older than some time.
-- $1 text: wallet; $2 bigint, $3 bigint: the slots that hold every swap since then; $4 bigint: Unix ms.
-- Index: wallet_address_key, swap_wallet, as rows that begin with the id: see list_wallet_swaps_asc.
select
from swap
where (wallet_id, slot) >= ((select id from wallet where address = $1), $2)
  and (wallet_id, slot) <= ((select id from wallet where address = $1), $3)
  and slot between $2 and $3
  and timestamp_ms >= $4
limit 1
