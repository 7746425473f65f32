-- Active webhooks whose deliveries are to be stored. $1 integer: deliveries that may wait at most. Result: columns
-- that the reader of FEED needs. Reads the whole table, a row an endpoint.
select id, channel, filter, int64, events_max, epoch, sequence, slot, attempts
from webhook
where paused_at is null and stored - delivered < $1
order by id
