-- Null: made by a release before, so that every replica remembers it.
alter table api_keys add column kid text;
