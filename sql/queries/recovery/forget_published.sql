-- No pool lane has anything in FEED, nor anything to publish there: FEED begins anew. Index: checkpoint_pkey.
update checkpoint
set first_slots = '{}', last_slots = '{}', feed_epoch = null, feed_sequence = 0
where actor = 'pool'
