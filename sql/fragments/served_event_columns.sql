-- A pool event e as it is served, with its token t; the pair_address next to it.
e.event,
e.signature,
e.slot,
e.timestamp_ms as timestamp,
t.address as token_address,
e.dex,
e.block_tx_index,
e.ix_index,
e.creator,
e.from_pair,
e.sol_amount,
e.token_amount
