-- A wallet that ever traded, and where its windows end, Unix ms: newest_swap_ms().
-- $1 text: address. Index: wallet_address_key, slot_span_pkey, those of has_traded().
select id, newest_swap_ms() as newest_ms from wallet where address = $1 and has_traded(id)
