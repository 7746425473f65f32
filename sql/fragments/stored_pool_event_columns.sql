-- A stored pool event as actors and replays read it, with its pool and token.
pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.timestamp_ms,
pool_event.dex, pool_event.event, pool_event.signature, pool_event.creator, pool_event.from_pair,
pool_event.sol_amount, pool_event.token_amount, pool.pair_address, token.address as token_address,
pool_event.blockhash
