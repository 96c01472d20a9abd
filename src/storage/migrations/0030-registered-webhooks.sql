-- Where the provider was told to deliver from, '' for the whole account; null where somebody set the webhook up there by hand.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS registered_place text;
