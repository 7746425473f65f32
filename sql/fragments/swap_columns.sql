-- All columns of table `swap`, in its order.
slot, block_tx_index, timestamp_ms, sol_amount, token_amount, fee, creator_fee, virtual_sol_reserves,
virtual_token_reserves, real_sol_reserves, real_token_reserves, transfer_fee_in, transfer_fee_out, cashback,
price_impact_bps, pool_price, price_before, price_after, pool_id, wallet_id, ix_index, fee_bps, creator_fee_bps,
cashback_bps, time_source, agent_trade, dex, quote_decimals, is_buy, signature, wallet_tags, virtual_quote_reserves,
blockhash, outside_protocol_bps, outside_creator_bps
