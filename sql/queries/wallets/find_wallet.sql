-- A wallet that ever traded, and where its windows end, Unix ms: newest_swap_ms().
-- $1 text: address. Index: wallet_address_key, slot_span_pkey.
select id, newest_swap_ms() as newest_ms from wallet where address = $1
