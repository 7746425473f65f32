-- How far each pool lane has committed, and published: its newest commit that publishes any event, and in how many
-- messages of FEED. is_settled: its newest commit publishes no event, or its owner recorded that FEED holds it; or it
-- is a day old and the lane has no owner while another has, because streams were recreated with fewer lanes. However
-- long a commit waits otherwise, its next owner publishes it.
-- Index: the primary key of checkpoint.
select
  lane,
  commit_number,
  published_commit,
  published_parts,
  first_slots = '{}' or (
    committed_at < now() - interval '1 day'
    and leased_until < now()
    and exists (
      select from checkpoint as other where other.actor = 'pool' and other.leased_until > now()
    )
  ) as is_settled
from checkpoint
where actor = 'pool'
