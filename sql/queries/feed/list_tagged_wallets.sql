-- Wallets whose tags were computed at or after a time, with all tags that they have now (none: empty).
-- $1 bigint: Unix ms. Reads wallet_profile whole. Index: wallet_tag_pkey, wallet_pkey.
select
  wallet.address as wallet,
  profile.computed_ms,
  coalesce(array_agg(distinct tagged.tag) filter (where tagged.tag is not null), '{}') as tags
from wallet_profile profile
join wallet on wallet.id = profile.wallet_id
left join wallet_tag tagged on tagged.wallet_id = profile.wallet_id
where profile.computed_ms >= $1
group by wallet.address, profile.computed_ms
