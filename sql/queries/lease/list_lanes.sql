-- The lanes that a worker owns. $1 text: worker id. Waits for no lock.
select actor, lane, epoch from checkpoint where owner = $1
