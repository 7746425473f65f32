-- Resets what pool lanes have in FEED, and have to publish there: FEED was recreated. Index: checkpoint_pkey.
update checkpoint
set first_slots = '{}', last_slots = '{}', feed_epoch = null, feed_sequence = 0
where actor = 'pool'
