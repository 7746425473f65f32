-- Records an operator action, a row for each target. $1 text: action, $2 text[]: targets, $3 text: operator.
insert into operator_audit (action, target, actor)
select $1, target, $3 from unnest($2::text[]) as done (target)
