-- Subscribes to notifications of created and changed keys: `id hash`, the hash in hex. Lasts as long as the connection.
listen api_key
