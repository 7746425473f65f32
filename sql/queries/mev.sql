-- name: mev/find_due
-- Whether some slots are still to be searched for sandwiches. $1 bigint, $2 bigint: first and last slot. Reads the whole of a small
-- table.
select exists (select from sandwich_due where first_slot <= $2 and last_slot >= $1) as is_due

-- name: mev/find_searched
-- How far the swaps up to a slot are searched. $1 bigint: the slot. Result: has_started: the job has run; is_due: some of them are still
-- to be searched; due_ms: the time, Unix ms, before which none are, null where all are. Index: slot_span_pkey; sandwich_due is a small
-- table.
select
  exists (select from sandwich_start) as has_started,
  due.slot is not null as is_due,
  (select min(first_ms) from slot_span where width = 100 and bucket > due.slot - 116) as due_ms
from (select min(first_slot) as slot from sandwich_due where first_slot <= $1) as due

-- name: mev/list_legs
-- The legs of sandwiches in execution order. $1 bigint[]: ids. Index: sandwich_leg_pkey.
select
  leg.sandwich_id, leg.role, wallet.address as wallet, leg.slot, leg.block_tx_index, leg.ix_index, leg.timestamp_ms,
  leg.signature, leg.is_buy, leg.sol_amount, leg.token_amount, leg.basis, leg.loss_low::text as loss_low,
  leg.loss_high::text as loss_high
from sandwich_leg as leg
join wallet on wallet.id = leg.wallet_id
where leg.sandwich_id = any ($1)
order by leg.sandwich_id, leg.ordinal

-- name: mev/list_of_transaction
-- The sandwiches of which a transaction has a leg or a victim. $1 text: signature, $2 bigint: last slot of a first leg. Index:
-- sandwich_leg_signature.
select
  {+sandwich_columns}
from (
  select distinct sandwich_id from sandwich_leg where signature = $1
) as own
join sandwich as s on s.id = own.sandwich_id
join pool on pool.id = s.pool_id
join token on token.id = pool.token_id
{+sandwich_repeats_known}
where s.ruling = 'sandwich' and s.slot <= $2::bigint
order by s.slot, s.block_tx_index, s.ix_index, s.signature, tie

-- name: mev/list_sandwiches
-- Sandwiches, or refused brackets, by their first legs, {words}.
-- $1 bigint, $2 bigint, $3 integer, $4 text, $5 text: slot, block_tx_index, ix_index, signature and tie after which the list continues;
-- $6 integer: rows; filters, null for any: $7 text victim, $8 text attacker, $9 text pair, $10 text mint, $11 smallint venue, $12 $13
-- bigint first and last time of the first leg, Unix ms, $14 numeric least loss, lamports, $15 text width; $16 boolean: also those that
-- sums do not count, $17 boolean: refused ones instead; $18 bigint: last slot of a first leg. Indexes: sandwich_order, sandwich_slot; of
-- one wallet sandwich_leg_wallet and sandwich_pkey, because all others would be read for a wallet that has few. Legs are at most 4 slots
-- after the first.
-- variant asc: words = the oldest first; order = asc; beyond = >; near = >= $1
-- variant desc: words = the newest first; order = desc; beyond = <; near = - 4 <= $1
select
  {+sandwich_columns}
from sandwich as s
join pool on pool.id = s.pool_id
join token on token.id = pool.token_id
{+sandwich_repeats_known}
where (s.slot, s.block_tx_index, s.ix_index, s.signature, sandwich_tie(s.id, s.pool_id, s.link)) {beyond}
    ($1, $2, $3, $4, $5)
  and s.slot <= $18::bigint
  and (s.ruling = 'sandwich') = not $17::boolean
  and ($7::text is null or s.id = any (array(
    select leg.sandwich_id
    from wallet
    join sandwich_leg as leg on leg.wallet_id = wallet.id
    where wallet.address = $7 and leg.role = 'victim' and leg.slot {near}
  )))
  and ($8::text is null or s.id = any (array(
    select leg.sandwich_id
    from wallet
    join sandwich_leg as leg on leg.wallet_id = wallet.id
    where wallet.address = $8 and leg.role <> 'victim' and leg.slot {near}
  )))
  and ($9::text is null or pool.pair_address = $9)
  and ($10::text is null or token.address = $10)
  and ($11::smallint is null or pool.dex = $11)
  and ($12::bigint is null or s.timestamp_ms >= $12)
  and ($13::bigint is null or s.timestamp_ms <= $13)
  and ($14::numeric is null or (
    select sum(leg.loss_low) from sandwich_leg as leg where leg.sandwich_id = s.id
  ) >= $14)
  and ($15::text is null or s.width = $15)
  and ($16::boolean or $17::boolean or is_counted_by(s.link, s.width, known.repeats))
order by
  s.slot {order}, s.block_tx_index {order}, s.ix_index {order}, s.signature {order}, tie {order}
limit $6

-- name: mev/list_wallets
-- Ids of wallets. $1 text[]: addresses. Index: wallet_address_key.
select id, address as wallet from wallet where address = any ($1)

-- name: mev/sum_losses
-- Sums of sandwiches by a key. $1 text: all, day (of the victim, UTC), wallet (the victim's), token, pool, attacker or dex; $2 $3
-- bigint: first and last time of the victims, Unix ms; filters, null for any: $4 text victim, $5 text attacker, $6 text pair, $7 text
-- mint, $8 smallint venue; $9 boolean: also sandwiches that sums do not count; $10 integer: rows; $11 bigint: last slot of a
-- first leg.
-- Result: loss_high null where one is not known; exact: victims whose losses are exact. Ordered by loss, days by date, the newest first.
-- Indexes: sandwich_leg_victim, sandwich_leg_wallet, sandwich_pkey.
--
-- Materialized: whether sums count a sandwich is found once for each that the filters leave, not for every victim of any.
with victim as materialized (
  select
    s.id, s.last_slot, s.link, s.width, s.profit_lamports, leg.timestamp_ms, leg.loss_low, leg.loss_high, leg.basis,
    wallet.address as wallet, token.address as token, pool.pair_address, pool.dex
  from sandwich_leg as leg
  join sandwich as s on s.id = leg.sandwich_id
  join pool on pool.id = s.pool_id
  join token on token.id = pool.token_id
  join wallet on wallet.id = leg.wallet_id
  where leg.role = 'victim'
    and leg.timestamp_ms between $2 and $3
    and s.slot <= $11::bigint
    and ($4::text is null or wallet.address = $4)
    and ($5::text is null or exists (
      select from sandwich_leg as own
      join wallet as attacker on attacker.id = own.wallet_id
      where own.sandwich_id = s.id and own.role <> 'victim' and attacker.address = $5
    ))
    and ($6::text is null or pool.pair_address = $6)
    and ($7::text is null or token.address = $7)
    and ($8::smallint is null or pool.dex = $8)
),
counted as materialized (
  select id
  from (select distinct id, last_slot, link, width from victim offset 0) as each
  where $9::boolean or is_counted_sandwich(each.id, each.last_slot, each.link, each.width)
),
suffered as (
  select
    id, key.key, profit_lamports, loss_low, loss_high, basis,
    row_number() over (partition by key.key, id) as ordinal
  from counted
  join victim using (id)
  cross join lateral (
    select 'all' as key where $1 = 'all'
    union all
    select to_char(to_timestamp(timestamp_ms / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')
    where $1 = 'day'
    union all
    select victim.wallet where $1 = 'wallet'
    union all
    select victim.token where $1 = 'token'
    union all
    select victim.pair_address where $1 = 'pool'
    union all
    select victim.dex::text where $1 = 'dex'
    union all
    (
      select distinct attacker.address
      from sandwich_leg as own
      join wallet as attacker on attacker.id = own.wallet_id
      where $1 = 'attacker' and own.sandwich_id = victim.id and own.role <> 'victim'
    )
  ) as key
)
select
  key, count(*) filter (where ordinal = 1)::integer as sandwiches, count(*)::integer as victims,
  sum(loss_low)::text as loss_low,
  case when bool_and(loss_high is not null) then sum(loss_high)::text end as loss_high,
  count(*) filter (where basis = 'exact')::integer as exact,
  coalesce(sum(profit_lamports) filter (where ordinal = 1), 0)::text as profit_lamports
from suffered
group by key
order by case when $1 = 'day' then key end desc, sum(loss_low) desc, key
limit $10
