SELECT id FROM members;
--             ^ -> migrations/002_views.sql members
INSERT INTO journal (id) SELECT id FROM users;
--          ^ -> migrations/002_views.sql journal
--                                      ^ -> migrations/001_tables.sql users
UPDATE orgs SET id = 2;
--     ^ -> migrations/001_tables.sql orgs
DELETE FROM users;
--          ^ -> migrations/001_tables.sql users
SELECT add_one(3), missing(4) FROM orgs;
--     ^ -> migrations/001_tables.sql add_one
--                 ^ unresolved
--                                 ^ -> migrations/001_tables.sql orgs
CALL fill();
--   ^ -> migrations/002_views.sql fill
WITH recent AS (SELECT id FROM journal) SELECT id FROM recent;
--                             ^ -> migrations/002_views.sql journal
