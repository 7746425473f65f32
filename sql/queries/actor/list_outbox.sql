-- What a lane's last commit was to publish. $1 text: actor, $2 integer: lane.
select commit_number, part, subject, payload
from outbox
where actor = $1 and lane = $2
order by commit_number, part
