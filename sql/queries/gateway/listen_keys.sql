-- Asks for word of every key that is made or changed: `id hash`, the hash in hex. Kept by the connection.
listen api_key
