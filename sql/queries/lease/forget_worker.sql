-- Deletes a worker process that shut down, or died long ago. $1 text: worker id.
delete from worker where id = $1 or seen_at < clock_timestamp() - interval '10 minutes'
