-- Adds KOLs and changes known ones, by whom; rows that say the same are left as they are.
-- $1 text[]: wallets, each once; $2 text[]: display names; $3 text[]: handles; $4 text: who did it.
-- Index: kol_pkey. Result: is_new boolean of each row that was written.
with written as (
  insert into kol (wallet, display_name, twitter_handle)
  select * from unnest($1::text[], $2::text[], $3::text[])
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
