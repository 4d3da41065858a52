-- == schemas and extensions
CREATE SCHEMA IF NOT EXISTS app;
--                          ^ def mod sig="CREATE SCHEMA IF NOT EXISTS app"
CREATE EXTENSION hstore;
-- <- import module="hstore"

-- == a table, its columns and what they refer to
-- Who may sign in.
CREATE TABLE IF NOT EXISTS app.users (
--                             ^ def table scope=app sig="CREATE TABLE IF NOT EXISTS app.users" doc="Who may sign in." vis=public end=+5
  id SERIAL PRIMARY KEY,
  -- <- def field scope="app.users" sig="id SERIAL PRIMARY KEY"
  name VARCHAR(10) NOT NULL DEFAULT 'x',
  -- <- def field scope="app.users"
  org_id INT REFERENCES orgs(id) ON DELETE CASCADE,
  -- <- def field scope="app.users"
--                      ^ ref type owner=org_id
  UNIQUE (name)
  -- <- none
);

-- == constraints that refer to other tables
CREATE TABLE invoices (
--           ^ def table scope="" end=+3
  id INT,
  -- <- def field scope=invoices
  CONSTRAINT fk_user FOREIGN KEY (id) REFERENCES app.users (id)
--           ^ none
--                                                   ^ ref type recv=app owner=invoices
);

-- == views
CREATE VIEW active AS SELECT u.id, lower(u.name) FROM users u JOIN orgs o ON o.id = u.org_id;
--          ^ def table sig="CREATE VIEW active"
--                             ^ ref read recv=u
--                                 ^ ref call owner=active
--                                                    ^ ref type owner=active
--                                                                 ^ ref type owner=active
CREATE MATERIALIZED VIEW totals AS SELECT count(id) FROM invoices;
--                       ^ def table sig="CREATE MATERIALIZED VIEW totals"

-- == tables made of queries
CREATE TABLE copied AS SELECT id FROM users;
--           ^ def table sig="CREATE TABLE copied"
--                                    ^ ref type owner=copied

-- == functions
CREATE OR REPLACE FUNCTION app.add(a int, b int) RETURNS int AS $$
--                             ^ def fn scope=app sig="CREATE OR REPLACE FUNCTION app.add(a int, b int) RETURNS int" end=+4
BEGIN
  RETURN a + b;
END;
$$ LANGUAGE plpgsql;

-- == functions whose bodies the grammar does not know
CREATE FUNCTION audit() RETURNS trigger AS $body$
--              ^ def fn sig="CREATE FUNCTION audit() RETURNS trigger" end=+7
DECLARE total int;
BEGIN
  FOR r IN SELECT id FROM invoices LOOP
--                        ^ ref type owner=audit
    INSERT INTO journal (id) VALUES (add_one(r.id));
--              ^ ref write owner=audit
--                                   ^ ref call owner=audit
  END LOOP;
END;
$body$ LANGUAGE plpgsql;

-- == triggers
CREATE TRIGGER log_user BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION audit();
--             ^ def fn
--                                       ^ ref type owner=log_user
--                                                                           ^ ref call owner=log_user

-- == indexes and sequences
CREATE UNIQUE INDEX users_name ON users (name);
--                  ^ def key
--                                ^ ref type owner=users_name
CREATE SEQUENCE numbers;
--              ^ def key

-- == types and domains
CREATE TYPE mood AS ENUM ('sad', 'ok');
--          ^ def type
CREATE TYPE pair AS (a int, b text);
--          ^ def type
--                   ^ def field scope=pair
--                          ^ def field scope=pair
CREATE DOMAIN price AS numeric CHECK (VALUE > 0);
--            ^ def type sig="CREATE DOMAIN price"

-- == changes of a table
ALTER TABLE users ADD COLUMN email TEXT;
--          ^ ref type
--                           ^ def field scope=users
ALTER TABLE users ADD CONSTRAINT c FOREIGN KEY (x) REFERENCES other(id);
--                                                            ^ ref type

-- == reading and writing
INSERT INTO users (id) SELECT id FROM old_users;
--          ^ ref write
--                                    ^ ref type
UPDATE users SET name = 'x' WHERE id IN (SELECT id FROM banned);
--     ^ ref write
--               ^ ref write
--                                                      ^ ref type
DELETE FROM users;
--          ^ ref write
WITH recent AS (SELECT id FROM visits) SELECT id FROM recent;
--                             ^ ref type
SELECT app.other(2), my_func(1);
--         ^ ref call recv=app
--                   ^ ref call
CALL close_books(1);
--   ^ ref call

-- == a statement that nobody understands leaves the rest alone
CREATE TABLE broken (id int, ((( ;
--           ^ def table
--                   ^ def field scope=broken
CREATE TABLE after_it (id int);
--           ^ def table
--                     ^ def field scope=after_it
