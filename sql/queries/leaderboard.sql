-- name: leaderboard/close_past_ranks
-- Ends what open_past_ranks began.
close past_ranks

-- name: leaderboard/count_hours
-- Whether a window's rows are few. $1 $2 bigint: first and last hour, $3 integer: how far to count.
-- Reads the chunks of the window until it has as many.
select count(*) as row_count
from (select from position_hour where hour_ms between $1 and $2 limit $3) as counted

-- name: leaderboard/create_figures
-- Figures of every wallet of a window, for ranking it: dropped with the transaction. $1 $2 bigint: first and last hour.
-- Arbitrageurs are determined by leaderboard_judged, by exact counts where they are known: where they are not, they do
-- not matter (merge_transactions).
create temp table leaderboard_figures on commit drop as
with arbitrageur as (
  select judged.wallet_id
  from leaderboard_judged judged
  left join wallet_transactions known on known.wallet_id = judged.wallet_id
    and known.hour_ms = judged.hour_ms and known.transaction_sum = transactions_most
    and known.arbitrage_sum = arbitrages_most
  group by judged.wallet_id
  having sum(coalesce(known.arbitrage_count, arbitrages_most)) >= 3
    and 2 * sum(coalesce(known.arbitrage_count, arbitrages_most))
      >= sum(coalesce(known.transaction_count, transactions_most))
)
select figures.*, wallet.address as wallet,
  figures.wallet_id in (select wallet_id from arbitrageur) as is_arbitrageur
from window_wallets($1, $2) as figures
join wallet on wallet.id = figures.wallet_id

-- name: leaderboard/create_judged_hours
-- By wallet that may be an arbitrageur and hour: bounds of the numbers of its transactions and of those that bought and
-- sold one mint. $1 $2 bigint: first and last hour. Dropped with the transaction.
-- Index: the primary key of position_hour, from the second reading on.
create temp table leaderboard_judged on commit drop as
with candidate as materialized (
  select wallet_id
  from position_hour
  where hour_ms between $1 and $2 and arbitrage_count > 0
  group by wallet_id
  having sum(arbitrage_count) >= 3
)
select wallet_id, hour_ms,
  max(transactions) as transactions_least, sum(transactions)::bigint as transactions_most,
  max(arbitrages) as arbitrages_least, sum(arbitrages)::bigint as arbitrages_most
from (
  select wallet_id, hour_ms, sum(transaction_count) as transactions, sum(arbitrage_count) as arbitrages
  from position_hour
  where wallet_id = any (array(select wallet_id from candidate)) and hour_ms between $1 and $2
  group by wallet_id, hour_ms, token_id
) as by_mint
group by wallet_id, hour_ms

-- name: leaderboard/delete_kol
-- Removes a KOL. $1 text: wallet, $2 text: operator. Result: the wallet, if it was a KOL.
-- Index: kol_pkey.
with gone as (
  delete from kol where wallet = $1 returning wallet
), audited as (
  insert into operator_audit (action, target, actor)
  select 'kol_removed', wallet, $2 from gone
)
select wallet from gone

-- name: leaderboard/delete_old_transactions
-- Deletes counts of hours that no longer determine arbitrageurs. $1 bigint: the first hour that counts.
-- Reads the whole of wallet_transactions: the hours of undecided wallets.
delete from wallet_transactions where hour_ms < $1

-- name: leaderboard/delete_other_kols
-- Removes the KOLs that are not among these, with an audit line. $1 text[]: wallets, $2 text: operator.
-- Reads the whole of kol: thousands. Result: a row for each removed one.
with gone as (
  delete from kol
  where not exists (select from unnest($1::text[]) as retained (wallet) where retained.wallet = kol.wallet)
  returning wallet
), audited as (
  insert into operator_audit (action, target, actor)
  select 'kol_removed', wallet, $2 from gone
)
select wallet from gone

-- name: leaderboard/delete_pages
-- Makes room for a ranking's next pages. $1 text: period. Index: leaderboard_page_pkey.
delete from leaderboard_page where period = $1

-- name: leaderboard/fetch_past_ranks
-- The next rows of open_past_ranks; none after the last.
fetch 500 from past_ranks

-- name: leaderboard/find_ranking
-- Age of the stored ranking of a period. $1 text: period. No row: none is stored, or the clock was set back to before
-- it, and the age is unknown. Result: age_ms by the clock of this server. Index: leaderboard_pkey.
select (extract(epoch from clock_timestamp()) * 1000 - computed_ms)::double precision as age_ms
from leaderboard
where period = $1 and computed_ms <= extract(epoch from clock_timestamp()) * 1000

-- name: leaderboard/find_recomputed
-- Whether a position waits for a recompute from a slot or an earlier one. $1 bigint: slot. Reads the whole of position_refold, which
-- has few rows.
select exists (select from position_refold where from_slot <= $1) as is_waiting

-- name: leaderboard/insert_pages
-- The pages of one mode out of leaderboard_figures, 1,000 ranks each. $1 text: period, $2 text: pnl_mode.
insert into leaderboard_page
select $1, $2, (ordinal / 1000)::integer,
  min(honest) - (not (array_agg(is_arbitrageur order by ordinal))[1])::integer,
  count(*) filter (where not is_arbitrageur),
  array_agg(wallet_id order by ordinal),
  array_agg(is_arbitrageur order by ordinal),
  array_agg(realized order by ordinal),
  array_agg(trade_count order by ordinal),
  array_agg(covered_sell_count order by ordinal),
  array_agg(win_count order by ordinal)
from (
  select figures.*, row_number() over in_order - 1 as ordinal,
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
group by ordinal / 1000

-- name: leaderboard/list_changed_wallets
-- Wallets with positions that have swaps in some hours and swaps after a slot, and how many swaps these positions hold. $1 $2
-- bigint: first and last hour, $3 bigint: slot. Index: the primary key of position; reads the chunks of the hours.
select
  changed.wallet_id, wallet.address as "user", changed.token_ids, changed.swap_count
from (
  select position.wallet_id, array_agg(position.token_id) as token_ids, sum(position.swap_count)::bigint as swap_count
  from (
    select distinct wallet_id, token_id
    from position_hour
    where hour_ms between $1 and $2
  ) as traded
  join position on position.wallet_id = traded.wallet_id and position.token_id = traded.token_id
  where position.last_slot > $3
  group by position.wallet_id
) as changed
join wallet on wallet.id = changed.wallet_id
order by changed.wallet_id

-- name: leaderboard/list_honest_ranks
-- Ranks of a stored ranking without arbitrageurs. $1 text: period, $2 text: pnl_mode, $3 integer: limit,
-- $4 integer: offset. Index: leaderboard_page_honest, from the page that may hold the offset.
select
  ordinal + 1 as rank, wallet.address as wallet, rank.realized, rank.trade_count,
  rank.covered_sell_count, rank.win_count,
  exists (select from kol where kol.wallet = wallet.address) as is_kol
from leaderboard_page page
cross join lateral (
  select each.*, page.honest_before + row_number() over (order by each.number) - 1 as ordinal
  from unnest(
    page.wallet_ids, page.arbitrageurs, page.realized, page.trade_counts,
    page.covered_sell_counts, page.win_counts
  ) with ordinality as each (
    wallet_id, is_arbitrageur, realized, trade_count, covered_sell_count, win_count, number
  )
  where not each.is_arbitrageur
) as rank
join wallet on wallet.id = rank.wallet_id
where page.period = $1 and page.pnl_mode = $2 and page.honest_count > 0
  and page.honest_before > $4::bigint - 1000 and page.honest_before < $4::bigint + $3::integer
  and ordinal >= $4 and ordinal < $4::bigint + $3
order by ordinal

-- name: leaderboard/list_kol_days
-- The KOLs with the largest all-time realized profit, and each one's profit by day. $1 text: pnl_mode; $2 integer: how
-- many; $3 $4 bigint: first and last day, Unix ms with which they begin.
-- Result: a row a KOL and day with a trade, day_ms null where a KOL has none; by all_time descending, then
-- wallet, then day. Index: kol_pkey, wallet_address_key, the primary keys of position and position_hour.
with ranked as (
  select kol.wallet, kol.display_name, kol.twitter_handle, wallet.id as wallet_id, total.all_time
  from kol
  join wallet on wallet.address = kol.wallet
  cross join lateral (
    select sum(
      case $1
        when 'raw' then sells_lamports - buys_lamports
        when 'strict' then realized_strict
        else realized_adjusted
      end
    ) as all_time
    from position
    where wallet_id = wallet.id
  ) as total
  where total.all_time is not null
  order by total.all_time desc, kol.wallet
  limit $2
)
select ranked.wallet, ranked.display_name, ranked.twitter_handle, ranked.all_time, day.day_ms,
  day.realized
from ranked
left join lateral (
  select hour_ms / 86400000 * 86400000 as day_ms,
    sum(
      case $1
        when 'raw' then realized_raw
        when 'strict' then realized_strict
        else realized_adjusted
      end
    ) as realized
  from position_hour
  where wallet_id = ranked.wallet_id and hour_ms between $3 and $4::bigint + 86399999
  group by hour_ms / 86400000
) as day on true
order by ranked.all_time desc, ranked.wallet, day.day_ms

-- name: leaderboard/list_kols
-- KOLs by wallet. $1 text: only wallets after it ('': from the first), $2 integer: how many.
-- Index: kol_pkey.
select wallet, display_name, twitter_handle
from kol
where wallet > $1
order by wallet
limit $2

-- name: leaderboard/list_page_ranks
-- Ranks of a stored ranking, arbitrageurs among them. $1 text: period, $2 text: pnl_mode,
-- $3 integer: limit, $4 integer: offset. Index: leaderboard_page_pkey, two pages at most.
select
  ordinal + 1 as rank, wallet.address as wallet, rank.realized, rank.trade_count,
  rank.covered_sell_count, rank.win_count,
  exists (select from kol where kol.wallet = wallet.address) as is_kol
from leaderboard_page page
cross join lateral unnest(
  page.wallet_ids, page.realized, page.trade_counts, page.covered_sell_counts, page.win_counts
) with ordinality
  as rank (wallet_id, realized, trade_count, covered_sell_count, win_count, number)
cross join lateral (select page.page::bigint * 1000 + rank.number - 1 as ordinal) as placed
join wallet on wallet.id = rank.wallet_id
where page.period = $1 and page.pnl_mode = $2
  and page.page between $4::integer / 1000 and ($4::bigint + $3::integer - 1) / 1000
  and ordinal >= $4 and ordinal < $4::bigint + $3
order by ordinal

-- name: leaderboard/list_ranks
-- Ranks computed on the spot. $1 $2 bigint: first and last hour; $3 text: pnl_mode; $4 integer[]: ids of wallets that are left
-- out; $5 integer: limit; $6 integer: offset. For windows of few rows: it reads and sorts them all.
{+ranked_wallets}
limit $5 offset $6

-- name: leaderboard/list_suspects
-- Wallets that may be arbitrageurs: those with as many transactions that bought and sold one mint, counted by mint, as make one.
-- $1 integer[]: wallet ids, $2 $3 bigint: first and last hour. Index: the primary key of position_hour.
select wallet_id
from position_hour
where wallet_id = any ($1::integer[]) and hour_ms between $2 and $3
group by wallet_id
having sum(arbitrage_count) >= 3

-- name: leaderboard/lock_ranking
-- Waits until no other session makes rankings; the session holds the lock from then on.
select pg_advisory_lock(hashtextextended('leaderboard', 0))

-- name: leaderboard/merge_kols
-- Adds KOLs and changes known ones, with an audit line; equal rows are not written.
-- $1 text[]: wallets, each once; $2 text[]: display names; $3 text[]: handles, null: a known one stays; $4 text: operator.
-- Index: kol_pkey. Result: is_new boolean of each row that was written.
with given as (
  select
    given.wallet, given.display_name, coalesce(given.twitter_handle, known.twitter_handle, '') as twitter_handle
  from unnest($1::text[], $2::text[], $3::text[]) as given (wallet, display_name, twitter_handle)
  left join kol as known on known.wallet = given.wallet
), written as (
  insert into kol (wallet, display_name, twitter_handle)
  select * from given
  on conflict (wallet) do update
    set display_name = excluded.display_name, twitter_handle = excluded.twitter_handle
    where (kol.display_name, kol.twitter_handle)
      is distinct from (excluded.display_name, excluded.twitter_handle)
  returning wallet, xmax = 0 as is_new
), audited as (
  insert into operator_audit (action, target, actor)
  select 'kol_stored', wallet, $4 from written
)
select is_new from written

-- name: leaderboard/merge_ranking
-- Stores the description of a period's pages. $1 text: period, $2 bigint: when they were made, Unix ms,
-- $3 $4 bigint: first and last hour. Reads leaderboard_figures.
insert into leaderboard
select $1, $2, $3, $4, count(*) from leaderboard_figures
on conflict (period) do update set
  computed_ms = excluded.computed_ms, from_ms = excluded.from_ms, to_ms = excluded.to_ms,
  wallet_count = excluded.wallet_count

-- name: leaderboard/open_past_ranks
-- Begins to rank the wallets of a window as of a slot: a cursor of the transaction, read by fetch_past_ranks. $1 $2 bigint: first
-- and last hour, $3 text: pnl_mode; $4 bigint: the first hour of which stored rows may hold swaps after the slot, $5 bigint: slot.
-- From that hour on, positions with later swaps are given, a row a wallet: $6 integer[] wallet id, $7 text[] realized by the mode,
-- $8 bigint[] trades, $9 bigint[] covered sells, $10 bigint[] wins.
-- Index: the primary key of position; reads the chunks of the window.
declare past_ranks no scroll cursor for
select figures.wallet_id, wallet.address as wallet, figures.realized, figures.trade_count, figures.covered_sell_count, figures.win_count
from (
  select
    wallet_id, sum(realized) as realized, sum(trade_count)::bigint as trade_count,
    sum(covered_sell_count)::bigint as covered_sell_count, sum(win_count)::bigint as win_count
  from (
    select
      hour.wallet_id,
      case $3
        when 'raw' then hour.realized_raw
        when 'strict' then hour.realized_strict
        else hour.realized_adjusted
      end as realized,
      hour.buy_count + hour.sell_count as trade_count, hour.covered_sell_count, hour.win_count
    from position_hour as hour
    where hour.hour_ms between $1 and $2
      and (
        hour.hour_ms < $4
        or not exists (
          select from position
          where position.wallet_id = hour.wallet_id and position.token_id = hour.token_id
            and position.last_slot > $5
        )
      )
    union all
    select wallet_id, realized::numeric, trade_count, covered_sell_count, win_count
    from unnest($6::integer[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[])
      as folded (wallet_id, realized, trade_count, covered_sell_count, win_count)
  ) as part
  group by wallet_id
) as figures
join wallet on wallet.id = figures.wallet_id
order by figures.realized desc, wallet.address

-- name: leaderboard/read_newest
-- Time of the newest indexed swap (null before the first), and when this transaction began, both Unix ms.
-- Index: slot_span_pkey.
select newest_swap_ms() as newest_ms,
  floor(extract(epoch from now()) * 1000)::bigint as now_ms
