-- name: traded/list_tokens
-- A page of the tokens that a wallet traded in some hours, each with the sums of its hours, and the sums of all of them.
-- $1 integer: wallet id; $2 $3 bigint: the first and the last hour, Unix ms; $4 text: pnl_mode; $5 text: realized,
-- volume, trades or wins; $6 integer: rows, null for all; $7 integer: rows before; $8 integer[]: token ids to leave out, null
-- for none.
-- Result: the columns of all in every row; where the page is empty, one row without a mint. Descending, ties by mint.
-- Index: the primary key of position_hour, token_pkey. A page looks up the mints of all traded tokens: ties need them.
with traded as materialized (
  select
    token_id,
    sum(
      case $4
        when 'strict' then realized_strict
        when 'raw' then realized_raw
        else realized_adjusted
      end
    ) as realized,
    sum(volume_lamports) as volume_lamports,
    sum(buy_count)::bigint as buy_count,
    sum(sell_count)::bigint as sell_count,
    sum(covered_sell_count)::bigint as covered_sell_count,
    sum(win_count)::bigint as win_count
  from position_hour
  where wallet_id = $1 and hour_ms between $2 and $3
    and ($8::integer[] is null or token_id <> all ($8))
  group by token_id
),
whole as (
  select
    count(*)::integer as total,
    coalesce(sum(realized), 0) as all_realized,
    coalesce(sum(volume_lamports), 0) as all_volume_lamports,
    coalesce(sum(buy_count), 0)::bigint as all_buy_count,
    coalesce(sum(sell_count), 0)::bigint as all_sell_count,
    coalesce(sum(covered_sell_count), 0)::bigint as all_covered_sell_count,
    coalesce(sum(win_count), 0)::bigint as all_win_count
  from traded
),
page as (
  select
    token.address as mint,
    traded.*,
    row_number() over (
      order by
        case $5
          when 'volume' then traded.volume_lamports
          when 'trades' then traded.buy_count + traded.sell_count
          when 'wins' then traded.win_count
          else traded.realized
        end desc,
        token.address
    ) as ordinal
  from traded
  join token on token.id = traded.token_id
  order by ordinal
  limit $6 offset $7
)
select whole.*, page.*
from whole
left join page on true
order by page.ordinal
