-- Dead letters of SWAP that were not sent again. Result: waiting bigint. Reads the whole of dead_letter.
select count(*) as waiting from dead_letter where retried_at is null and actor = 'pool'
