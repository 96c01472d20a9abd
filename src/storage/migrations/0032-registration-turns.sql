-- Whose turn it is to tell the provider of a webhook something, and until when; it ends by itself, because its holder may die.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS registering_by uuid;
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS registering_until timestamptz;
