-- Where a run stands in the trace of what started it, as the W3C header traceparent says it: whichever process goes on with the run, now or
-- after a crash, goes on with that trace. Runs from before have none.
ALTER TABLE run ADD COLUMN trace_parent text;
