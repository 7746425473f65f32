-- Lamports that hours of positions realized by a pnl_mode, which is $2.
sum(
  case $2
    when 'strict' then realized_strict
    when 'raw' then realized_raw
    else realized_adjusted
  end
) as realized
