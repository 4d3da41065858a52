CREATE TABLE journal (id INT, at TIMESTAMP);

CREATE VIEW members AS
  SELECT u.id FROM users u JOIN orgs o ON o.id = u.org_id;
--                 ^ -> migrations/001_tables.sql users
--                              ^ -> migrations/001_tables.sql orgs

CREATE TRIGGER log_users BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION audit();
--                                        ^ -> migrations/001_tables.sql users
--                                                                            ^ -> migrations/001_tables.sql audit

CREATE INDEX users_org ON users (org_id);
--                        ^ -> migrations/001_tables.sql users

ALTER TABLE orgs ADD CONSTRAINT own FOREIGN KEY (id) REFERENCES users(id);
--          ^ -> migrations/001_tables.sql orgs
--                                                              ^ -> migrations/001_tables.sql users

CREATE PROCEDURE fill() LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET id = add_one(id);
--       ^ -> migrations/001_tables.sql users
--                      ^ -> migrations/001_tables.sql add_one
  DELETE FROM journal;
--            ^ -> journal
END $$;
