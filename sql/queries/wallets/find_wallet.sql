-- A wallet that ever traded, and the time of the newest indexed swap of all, Unix ms.
-- $1 text: address. Index: wallet_address_key, slot_span_pkey.
select id, newest_swap_ms() as newest_ms from wallet where address = $1
