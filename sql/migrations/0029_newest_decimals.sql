-- Decimals of a mint are those of its newest swap: what positions in it, and tokens without a line that tells them,
-- are counted by. Each pool keeps those of its own newest swap, so that a read needs no look at `swap`.

alter table pool add column last_quote_decimals smallint;

-- Chunk by chunk, so that each statement has one chunk of `swap` to look into. Index: swap_pool.
do $$
declare
  low bigint;
begin
  for low in
    select distinct last_slot / 54000 * 54000 from pool where last_slot is not null order by 1
  loop
    execute format(
      'update pool
       set last_quote_decimals = (
         select swap.quote_decimals
         from swap
         join wallet on wallet.id = swap.wallet_id
         where swap.pool_id = pool.id and swap.slot = pool.last_slot and swap.slot between %1$s and %2$s
         order by
           swap.block_tx_index desc, swap.ix_index desc, swap.dex desc, swap.is_buy, swap.signature desc,
           wallet.address desc, swap.sol_amount desc, swap.token_amount desc
         limit 1
       )
       where pool.last_slot between %1$s and %2$s',
      low, low + 53999
    );
  end loop;
end
$$;

-- Decimals of a mint by its canonically newest swap; no row before the first. A plain SELECT without side effects,
-- so that it becomes part of the statement that calls it. Index: pool_token.
create function mint_decimals(of_token integer)
  returns table (decimals smallint)
  language sql stable rows 1
as $$
  select pool.last_quote_decimals
  from pool
  where pool.token_id = of_token and pool.last_slot is not null
  order by
    pool.last_slot desc, pool.last_block_tx_index desc, pool.last_ix_index desc, pool.dex desc,
    pool.last_is_buy, pool.last_signature desc, pool.pair_address desc
  limit 1
$$;
