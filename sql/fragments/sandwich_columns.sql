-- A bracket `s` with its pool, and how often its attacker repeats (`known`, see sandwich_repeats_known).
s.id, pool.pair_address, token.address as token_address, pool.dex, s.slot, s.block_tx_index, s.ix_index, s.signature,
s.timestamp_ms, s.last_slot, s.ruling, s.link, s.width, s.victim_count, s.profit_lamports::text as profit_lamports,
s.gain_of_others_lamports::text as gain_of_others_lamports, sandwich_tie(s.id, s.pool_id, s.link) as tie, known.repeats,
is_counted_by(s.link, s.width, known.repeats) as is_counted
