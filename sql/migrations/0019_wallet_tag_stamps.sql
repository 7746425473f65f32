-- What a swap's wallet was known for when the swap was announced, so that a replay filters as live did:
-- tags as bits (1 sniper, 2 insider, 4 whale, 8 smart_money; domain/wallet/wallet-tag.ts), null for none.
alter table swap add column wallet_tags smallint;

-- The same bits by wallet, of its newest profile, and the transaction that last changed them: workers keep
-- all that are not 0 in memory and ask for what changed since.
alter table wallet_profile
  add column tags smallint not null default 0,
  add column changed_by xid8;

update wallet_profile
set tags = known.tags, changed_by = pg_current_xact_id()
from (
  select
    wallet_id,
    bit_or(
      case tag when 'sniper' then 1 when 'insider' then 2 when 'whale' then 4 else 8 end
    )::smallint as tags
  from wallet_tag
  group by wallet_id
) known
where known.wallet_id = wallet_profile.wallet_id;

create index wallet_profile_changed on wallet_profile (changed_by) where changed_by is not null;
