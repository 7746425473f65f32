-- A bracket with its pool and how often its attacker repeats.
s.id, pool.pair_address, token.address as token_address, pool.dex, s.slot, s.block_tx_index, s.ix_index, s.signature,
s.timestamp_ms, s.last_slot, s.ruling, s.link, s.width, s.victim_count, s.profit_lamports::text as profit_lamports,
s.gain_of_others_lamports::text as gain_of_others_lamports, sandwich_repeats(s.id, s.last_slot, null) as repeats,
is_counted_sandwich(s.id, s.last_slot, s.link, s.width) as is_counted
