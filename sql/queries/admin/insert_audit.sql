-- What an operator did. $1 text: action, $2 text: to what, $3 text: who did it.
insert into operator_audit (action, target, actor) values ($1, $2, $3)
