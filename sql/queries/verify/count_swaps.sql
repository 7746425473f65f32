-- How many swaps are stored, and how many identities are stored more than once.
select
  (select count(*) from swap) as swaps,
  (
    select count(*)
    from (
      select
      from swap
      group by signature, dex, ix_index, pool_id, wallet_id, is_buy, sol_amount, token_amount
      having count(*) > 1
    ) as doubled
  ) as doubled
