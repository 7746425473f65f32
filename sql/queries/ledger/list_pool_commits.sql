-- How far every pool lane has committed: the swaps of those commits are stored.
select lane, commit_number from checkpoint where actor = 'pool'
