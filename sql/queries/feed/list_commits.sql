-- How far each pool lane has committed, and announced: its newest commit that announces anything, and in how
-- many messages of FEED. is_settled: its newest commit has nothing to announce, or stands in FEED by the word of
-- its owner; or it is a day old and the lane has no owner while another has, being of streams that were made again
-- with fewer lanes. However long a commit waits otherwise, its next owner announces it.
-- Index: the primary key of checkpoint.
select
  lane,
  commit_number,
  announced_commit,
  announced_parts,
  first_slots = '{}' or (
    committed_at < now() - interval '1 day'
    and leased_until < now()
    and exists (
      select from checkpoint as other where other.actor = 'pool' and other.leased_until > now()
    )
  ) as is_settled
from checkpoint
where actor = 'pool'
