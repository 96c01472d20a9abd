-- How long a delivery waits for what its run answers; null where it is answered as soon as the run is stored.
ALTER TABLE trigger ADD COLUMN IF NOT EXISTS answer_within_seconds integer;
