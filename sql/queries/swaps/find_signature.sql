-- Positions that may hold swaps of this signature: a hash may be shared, so the caller compares the text.
-- $1 bigint: signatureHash of the text. Index: swap_signature_key, one probe.
select distinct slot, block_tx_index from swap_signature where signature_hash = $1
