-- A stored swap as actors and replays read it, with its pool, token and wallet.
swap.slot, swap.block_tx_index, swap.ix_index, swap.timestamp_ms, swap.dex, swap.is_buy,
swap.signature, pool.pair_address, token.address as token_address, wallet.address as user_address,
swap.pool_id, swap.sol_amount, swap.token_amount, swap.fee, swap.fee_bps, swap.creator_fee,
swap.creator_fee_bps, swap.quote_decimals, swap.virtual_sol_reserves,
swap.virtual_token_reserves, swap.real_sol_reserves, swap.real_token_reserves,
swap.transfer_fee_in, swap.transfer_fee_out, swap.cashback, swap.cashback_bps,
swap.time_source, swap.agent_trade, swap.pool_price, swap.price_before, swap.price_after,
swap.price_impact_bps, swap.virtual_quote_reserves, swap.blockhash,
swap.outside_protocol_bps, swap.outside_creator_bps
