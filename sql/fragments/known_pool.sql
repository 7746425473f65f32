-- Whether anything is indexed of a `pool`. One is also interned for a batch that is not committed in the end, and remains when
-- its events are retracted: readers know it no more than any other address.
-- Decision: docs/decisions/0070-names-of-retracted-addresses-remain.md
-- Index: pool_event_pool.
(pool.swap_count > 0 or exists (select from pool_event where pool_event.pool_id = pool.id))
