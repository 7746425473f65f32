-- Where swaps of this signature may stand: a hash may be shared, so the text is compared there.
-- $1 bigint: signatureHash of the text. Index: swap_signature_key, one probe.
select distinct slot, block_tx_index from swap_signature where signature_hash = $1
