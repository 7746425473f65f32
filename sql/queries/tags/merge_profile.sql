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
