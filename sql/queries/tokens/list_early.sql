-- The first buyers of a mint, from its canonically first swaps among some slots, within 24 hours of the first of
-- them: the very first, first buys of the wallets that bought first, and buys in one slot; with their wallets'
-- positions in the mint, null where the ledger has none, whether each is smart money in any mint, and `is_held`: false
-- of wallets whose newest pass did not find the mint on chain.
-- $1 integer: token id; $2 bigint, $3 bigint: first and last slot; $4 integer: swaps to search, and all that tie with
-- the last of them; $5 integer: wallets; $6 bigint: the one slot, or null. Unordered, with all that tie: the caller
-- compares them in full.
-- Index: pool_token, swap_pool, wallet_pkey, the primary key of position, that of mint_decimals(), token_pkey,
-- held_token_pkey, reconciliation_pkey; wallet_tag_smart, one probe a wallet: as `exists`, all smart money may be
-- hashed. A row that begins with the wallet, as in read_profile.
with ranked as materialized (
  select first.*, rank() over (order by slot, block_tx_index, ix_index, dex) as place
  from (
    select own.*, pool.pair_address
    from pool
    cross join lateral (
      select
        slot, block_tx_index, ix_index, dex, is_buy, signature, timestamp_ms, sol_amount,
        token_amount, wallet_id
      from swap
      where swap.pool_id = pool.id and swap.slot between $2 and $3
      order by slot, block_tx_index, ix_index, dex
      fetch first $4 rows with ties
    ) as own
    where pool.token_id = $1
    order by own.slot, own.block_tx_index, own.ix_index, own.dex
    fetch first $4 rows with ties
  ) as first
),
placed as materialized (
  select *
  from ranked
  where timestamp_ms < (select min(timestamp_ms) from ranked where place = 1) + 86400000
),
early as (
  select min(place) as place
  from placed
  where is_buy
  group by wallet_id
  order by 1
  limit $5
)
select
  told.slot, told.block_tx_index, told.ix_index, told.dex, told.is_buy, told.signature,
  told.timestamp_ms, told.sol_amount, told.token_amount, told.pair_address,
  wallet.address as "user",
  position.balance, (select newest.decimals from mint_decimals($1) as newest) as decimals,
  position.largest_buy_lamports,
  coalesce(
    (select true from wallet_tag where wallet_tag.wallet_id = wallet.id and wallet_tag.tag = 'smart_money' limit 1),
    false
  ) as is_smart,
  coalesce(
    (
      select held_token.quantity > 0
      from held_token
      where held_token.wallet_id = wallet.id
        and held_token.mint = (select address from token where token.id = $1)
    ),
    (select false from reconciliation where reconciliation.wallet_id = wallet.id),
    true
  ) as is_held
from (
  select *
  from placed
  where place = 1 or (is_buy and (slot = $6 or place in (select place from early)))
) as told
join wallet on wallet.id = told.wallet_id
left join position
  on (position.wallet_id, position.token_id) >= (told.wallet_id, $1)
    and (position.wallet_id, position.token_id) <= (told.wallet_id, $1)
