-- A node that reached out, or is about to, and must not be executed again by whoever takes its run over: it may have been done.
ALTER TABLE run_node ADD COLUMN must_not_repeat boolean NOT NULL DEFAULT false;
