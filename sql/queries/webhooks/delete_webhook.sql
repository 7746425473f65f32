-- Deletes a webhook with its deliveries. $1 integer: id. Result: its id.
delete from webhook where id = $1 returning id
