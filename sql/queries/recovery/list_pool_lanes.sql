-- Progress of each pool lane. Result: a row for each lane that was ever owned: its newest commit's number, epoch and
-- sequence of SWAP up to which it has read, sequence up to which SWAP held no unread message for it, when the message
-- at `sequence` was stored (Unix ms, or null), and when it committed (null before its first commit). Index:
-- checkpoint_pkey.
select lane, commit_number, stream_epoch, sequence, seen_sequence, message_ms, committed_at
from checkpoint
where actor = 'pool'
order by lane
