-- Ids of wallets, interning those that are new. $1 text[]: addresses, sorted (so that two writers never
-- wait crosswise). Result: all but those that another transaction interns at the same moment.
-- Does not wait for the disk: any commit that uses such an id follows this one in the log.
-- Index: the unique key of wallet. One plan for arrays of all lengths, as load_pools.sql.
with known as (
  select id, address from wallet where address = any ((select $1::text[])::text[])
), added as (
  insert into wallet (address)
  select wanted.address
  from (
    select unnest((select $1::text[])) collate "C" as address
    except
    select address from known
  ) as wanted
  where (select set_config('synchronous_commit', 'off', true)) = 'off'
  order by wanted.address
  on conflict (address) do nothing
  returning id, address
)
select id, address from known
union all
select id, address from added
