-- Sectors of mints were stored, by whom. $1 text[]: mints, $2 text: who did it.
insert into operator_audit (action, target, actor)
select 'sector_stored', mint, $2 from unnest($1::text[]) as stored (mint)
