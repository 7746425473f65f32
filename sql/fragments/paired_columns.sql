-- A swap by which a pool may hold a bracket of a sandwich (paired_pools).
swap.pool_id, swap.wallet_id, swap.is_buy,
case
  when swap.is_buy then swap.token_amount::numeric - swap.transfer_fee_out
  else swap.token_amount::numeric + swap.transfer_fee_in
end as tokens
