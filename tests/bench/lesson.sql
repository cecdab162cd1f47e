-- Other work for SQLite than work.sql's: from it a scale is learned.
CREATE TABLE account(id INTEGER PRIMARY KEY, owner TEXT, balance INTEGER);
CREATE TABLE payment(id INTEGER PRIMARY KEY, source INTEGER, target INTEGER, amount INTEGER);

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO account SELECT i, hex(i * 48271 % 65537) || ' ' || hex(i * 69621 % 32749), i * 31 % 5000 FROM n;

WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 799999)
INSERT INTO payment SELECT i, i * 48271 % 20000 + 1, i * 69621 % 20000 + 1, i % 97 FROM n;

CREATE INDEX by_owner ON account(owner);
CREATE INDEX by_source ON payment(source, amount);

SELECT source, sum(amount), max(target) FROM payment GROUP BY source HAVING sum(amount) > 700 ORDER BY 2 DESC, 1 LIMIT 5;
SELECT count(*) FROM account WHERE owner IN (SELECT owner FROM account WHERE balance % 13 = 5);
SELECT a.owner, total(p.amount) FROM account a LEFT JOIN payment p ON p.source = a.id GROUP BY a.id ORDER BY 2 DESC, 1 LIMIT 5;
UPDATE account SET balance = balance - (SELECT coalesce(sum(amount), 0) FROM payment WHERE source = account.id);
SELECT group_concat(substr(owner, 1, 3), '-') FROM (SELECT owner FROM account ORDER BY balance, owner LIMIT 20);
SELECT count(DISTINCT printf('%d/%s', balance / 10, substr(owner, -2))) FROM account;
