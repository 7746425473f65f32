-- Adds KOLs and changes known ones, with an audit line; equal rows are not written.
-- $1 text[]: wallets, each once; $2 text[]: display names; $3 text[]: handles, null: a known one stays; $4 text: operator.
-- Index: kol_pkey. Result: is_new boolean of each row that was written.
with told as (
  select
    told.wallet, told.display_name, coalesce(told.twitter_handle, known.twitter_handle, '') as twitter_handle
  from unnest($1::text[], $2::text[], $3::text[]) as told (wallet, display_name, twitter_handle)
  left join kol as known on known.wallet = told.wallet
), written as (
  insert into kol (wallet, display_name, twitter_handle)
  select * from told
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
