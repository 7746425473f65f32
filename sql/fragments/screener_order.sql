-- $22 what to sort by, $23 1 ascending, -1 descending. The older a token, the earlier its first swap.
$23::integer * case $22::text
  when 'volume_usd' then volume_sol
  when 'price_usd' then price_sol
  when 'liquidity_usd' then liquidity_sol
  when 'change_pct' then change_pct
  when 'trades' then trades
  when 'buyers' then buyers
  when 'holders' then holders
  when 'age_minutes' then -first_ms
end
