-- A process of the API ends. $1 uuid.
delete from api_instance where id = $1
