-- The pages of one mode out of leaderboard_figures, 1,000 ranks each. $1 text: period, $2 text: pnl_mode.
insert into leaderboard_page
select $1, $2, (place / 1000)::integer,
  min(honest) - (not (array_agg(is_arbitrageur order by place))[1])::integer,
  count(*) filter (where not is_arbitrageur),
  array_agg(wallet_id order by place),
  array_agg(is_arbitrageur order by place),
  array_agg(realized order by place),
  array_agg(trade_count order by place),
  array_agg(covered_sell_count order by place),
  array_agg(win_count order by place)
from (
  select figures.*, row_number() over in_order - 1 as place,
    count(*) filter (where not is_arbitrageur) over in_order as honest
  from (
    select wallet_id, wallet, is_arbitrageur, trade_count, covered_sell_count, win_count,
      case $2
        when 'raw' then realized_raw
        when 'strict' then realized_strict
        else realized_adjusted
      end as realized
    from leaderboard_figures
  ) as figures
  window in_order as (order by realized desc, wallet rows unbounded preceding)
) as ranked
group by place / 1000
