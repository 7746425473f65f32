-- name: tags/begin_profile
-- For the transaction: statements are planned from indexes, and no other session profiles the wallet: one that waited
-- for the other's rows would overwrite changes that it cannot see. $1 integer: wallet id. Index: none.
select
  set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true),
  set_config('jit', 'off', true),
  pg_advisory_xact_lock(hashtextextended('wallet_profile', $1::integer))

-- name: tags/find_profile
-- A wallet, whether a swap of it is indexed, when its tags were computed (null: never), and the newest indexed swap's time.
-- $1 text: address. Index: wallet_address_key, wallet_profile_pkey, those of has_traded().
select wallet.id, profile.computed_ms, newest_swap_ms() as newest_ms, has_traded(wallet.id) as has_traded
from wallet
left join wallet_profile profile on profile.wallet_id = wallet.id
where wallet.address = $1

-- name: tags/list_births
-- Mints that a wallet bought and perhaps traded from their first slots on: those whose first four hours were not long
-- over at its first trade. Result: token id, and Unix ms with which the four hours begin.
-- $1 integer: wallet id. Index: the primary key of position, pool_token, the primary key of candle_4h.
-- Five hours: a swap's time may exceed a little the four hours that its slot belongs to.
select position.token_id, min(birth.bucket_ms) as born_ms
from position
join pool on pool.token_id = position.token_id
cross join lateral (
  select bucket_ms from candle_4h where pool_id = pool.id order by bucket_ms limit 1
) as birth
where position.wallet_id = $1 and position.buy_count > 0
group by position.token_id, position.first_trade_ms
having position.first_trade_ms < min(birth.bucket_ms) + 18000000

-- name: tags/list_creations
-- Creators of mints, and where: the canonically first `created` event of each one's first pool. The token line's
-- creator precedes the event's. $1 integer[]: token ids; $2 text: a wallet, whose creations are returned besides those
-- mints; null for none.
-- Index: token_pkey, token_creator, pool_event_creator, those of token_birth().
select
  token.id as token_id,
  coalesce(token.creator, birth.creator) as creator,
  birth.slot,
  birth.signature
from (
  select unnest($1::integer[]) as id
  union
  select id from token where creator = $2
  union
  select pool.token_id
  from pool_event
  join pool on pool.id = pool_event.pool_id
  where pool_event.creator = $2 and pool_event.event = 'created'
) wanted
join token on token.id = wanted.id
left join lateral token_birth(token.id) as birth on true

-- name: tags/list_kinds
-- The tags that wallets have on any mint, as bits (domain/wallet/wallet-tag.ts); no row for one without. By the profiles: a
-- wallet may have as many tags as there are mints.
-- $1 text[]: wallets. Index: wallet_address_key, wallet_profile_pkey.
select wallet.address as wallet, wallet_profile.tags as bits
from wallet
join wallet_profile on wallet_profile.wallet_id = wallet.id
where wallet.address = any ($1) and wallet_profile.tags <> 0

-- name: tags/list_tags
-- Tags of a wallet, the strongest first.
-- $1 integer: wallet id. Index: wallet_tag_pkey.
select tag, score, token.address as mint, computed_ms
from wallet_tag
join token on token.id = token_id
where wallet_id = $1
  and {+known_token}
order by score desc, tag, mint

-- name: tags/list_values
-- The largest buy of positions of a wallet that may be a whale's, and the amount and price of an open one: positions
-- with a large buy, and positions whose value is large at the highest of the last prices of the mint's pools (an upper
-- bound of its price) by the fewest decimals of any pool. Others are not priced, which is most of the work. Decimals
-- are null without a price. No position is open, and has a balance here, whose mint the wallet's newest pass did not
-- find on chain.
-- $1 integer: wallet id; $2 bigint: a large buy, lamports; $3 double precision: a large value, lamports; a thousandth
-- less also counts, as doubles are rounded.
-- Index: the primary key of position, pool_token, token_pkey, held_token_pkey, reconciliation_pkey, those of token_prices.
with large as materialized (
  select position.token_id, position.largest_buy_lamports, position.balance
  from position
  left join lateral (
    select max(pool.last_price) as price, min(pool.last_quote_decimals) as decimals
    from pool
    where pool.token_id = position.token_id and position.largest_buy_lamports < $2 and position.balance > 0
  ) as highest on true
  where position.wallet_id = $1
    and (
      position.largest_buy_lamports >= $2
      or position.balance::double precision / 10::double precision ^ highest.decimals * highest.price * 1e9
        >= $3::double precision * 0.999
    )
),
candidate as materialized (
  select
    large.token_id,
    large.largest_buy_lamports,
    case
      when coalesce(
        (
          select held_token.quantity > 0
          from held_token
          where held_token.wallet_id = $1
            and held_token.mint = (select address from token where token.id = large.token_id)
        ),
        not exists (select from reconciliation where wallet_id = $1)
      ) then large.balance
      else 0
    end as balance
  from large
)
select
  candidate.token_id, candidate.largest_buy_lamports, candidate.balance, price.decimals, price.price
from candidate
left join token_prices(
  (select array_agg(token_id) from candidate where balance > 0)
) price on price.token_id = candidate.token_id

-- name: tags/list_early_tags
-- Stored tags of a wallet for trades at the beginning of mints. $1 integer: wallet id, $2 integer[]: token ids. Index: wallet_tag_pkey.
select token_id, tag, score
from wallet_tag
where wallet_id = $1 and token_id = any ($2::integer[]) and tag in ('sniper', 'insider')

-- name: tags/merge_profile
-- Stores a wallet's computed tags: lost ones are deleted, the others are overwritten.
-- $1 integer: wallet id, $2 bigint: Unix ms when they were computed; $3 integer[] token_id, $4 text[] tag,
-- $5 double precision[] score (pairwise); $6 smallint: all of the tags as bits; $7 bigint: Unix ms of the latest time
-- of a right clock. Of two profiles the one that began later wins, whichever is written first; one dated later than $7
-- is replaced. Index: wallet_profile_pkey, wallet_tag_pkey.
with found as (
  select * from unnest($3::integer[], $4::text[], $5::double precision[]) as tag (token_id, tag, score)
),
profile as (
  insert into wallet_profile (wallet_id, computed_ms, tags, changed_by)
  values ($1, $2, $6::smallint, case when $6::smallint <> 0 then pg_current_xact_id() end)
  on conflict (wallet_id) do update set
    computed_ms = excluded.computed_ms,
    tags = excluded.tags,
    changed_by = case
      when wallet_profile.tags = excluded.tags then wallet_profile.changed_by
      else pg_current_xact_id()
    end
  where wallet_profile.computed_ms <= excluded.computed_ms or wallet_profile.computed_ms > $7
  returning wallet_id
),
gone as (
  delete from wallet_tag
  using profile
  where wallet_tag.wallet_id = profile.wallet_id
    and not exists (
      select from found
      where found.token_id = wallet_tag.token_id and found.tag = wallet_tag.tag
    )
)
insert into wallet_tag (wallet_id, token_id, tag, score, computed_ms)
select profile.wallet_id, found.token_id, found.tag, found.score, $2
from found, profile
on conflict (wallet_id, token_id, tag) do update set
  score = excluded.score,
  computed_ms = excluded.computed_ms

-- name: tags/sum_window
-- Figures of a wallet in some hours, by mint: covered sells, wins, realized (adjusted), and whether the
-- position is closed and sold in the window.
-- $1 integer: wallet id, $2 $3 bigint: the first and the last hour, Unix ms. Index: the primary keys of position_hour and
-- position.
select
  hour.token_id,
  token.address as mint,
  hour.covered_sell_count,
  hour.win_count,
  hour.realized_lamports,
  hour.sell_count > 0 and position.balance = 0 as is_closed
from (
  select
    token_id,
    sum(sell_count)::bigint as sell_count,
    sum(covered_sell_count)::bigint as covered_sell_count,
    sum(win_count)::bigint as win_count,
    sum(realized_adjusted) as realized_lamports
  from position_hour
  where wallet_id = $1 and hour_ms between $2 and $3
  group by token_id
) hour
join position on position.wallet_id = $1 and position.token_id = hour.token_id
join token on token.id = hour.token_id
