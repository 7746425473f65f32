-- Wallets whose tags changed since, with the bits that they have now, and the mark to pass the next time.
-- $1 text: xid8; '0' for all. Result: a row at least, its wallet_id null without a change. All transactions below the
-- snapshot's xmin have ended: their changes are visible here, and no other transaction is below next_mark. Index:
-- wallet_profile_changed.
select pg_snapshot_xmin(pg_current_snapshot())::text as next_mark, wallet_id, tags
from (values (1)) as always (one)
left join wallet_profile on changed_by >= $1::text::xid8
