-- Bounds how long a statement of the transaction waits for a lock, because later requests queue after it. Less than
-- deadlock_timeout, so that of two that wait for each other this one gives way.
set local lock_timeout = '900ms'
