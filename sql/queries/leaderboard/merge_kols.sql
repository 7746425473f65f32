-- Adds KOLs and changes known ones; rows that say the same are left as they are.
-- $1 text[]: wallets, each once; $2 text[]: display names; $3 text[]: handles. Index: kol_pkey.
-- Result: is_new boolean of each row that was written.
insert into kol (wallet, display_name, twitter_handle)
select * from unnest($1::text[], $2::text[], $3::text[])
on conflict (wallet) do update
  set display_name = excluded.display_name, twitter_handle = excluded.twitter_handle
  where (kol.display_name, kol.twitter_handle)
    is distinct from (excluded.display_name, excluded.twitter_handle)
returning xmax = 0 as is_new
