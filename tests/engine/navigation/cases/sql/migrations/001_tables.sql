CREATE TABLE orgs (id INT PRIMARY KEY);

CREATE TABLE users (
  id INT PRIMARY KEY,
  org_id INT REFERENCES orgs(id)
--                      ^ -> orgs
);

CREATE FUNCTION add_one(x int) RETURNS int AS $$ SELECT x + 1 $$ LANGUAGE sql;

CREATE FUNCTION audit() RETURNS trigger AS $$
BEGIN
  INSERT INTO journal (id) VALUES (add_one(1));
--            ^ -> migrations/002_views.sql journal
--                                 ^ -> add_one
  RETURN NEW;
END;
$$ LANGUAGE plpgsql;
