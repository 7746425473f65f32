-- The lanes that a worker owns. $1 text: worker id.
select actor, lane from checkpoint where owner = $1
