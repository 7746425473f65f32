-- The lanes that a worker owns. $1 text: worker id. Waits for nobody.
select actor, lane, epoch from checkpoint where owner = $1
