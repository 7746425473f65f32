-- Blocks commits of every pool lane until this transaction ends. Result: a row for each lane.
-- Index: checkpoint_pkey.
select lane from checkpoint where actor = 'pool' order by lane for update
