-- How far each pool lane has committed, and announced: its newest commit that announces anything, and in how
-- many messages of FEED. is_settled: its newest commit has nothing to announce, or has had ten seconds for it.
-- Index: the primary key of checkpoint.
select
  lane,
  commit_number,
  announced_commit,
  announced_parts,
  first_slots = '{}' or committed_at is null or committed_at < now() - interval '10 seconds'
    as is_settled
from checkpoint
where actor = 'pool'
