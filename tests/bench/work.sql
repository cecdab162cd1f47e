-- Seconds of mixed work for SQLite, in memory: inserts, an index, joins, groups,
-- a recursive query, text functions, updates.
PRAGMA journal_mode = MEMORY;
CREATE TABLE station(id INTEGER PRIMARY KEY, name TEXT, height REAL);
CREATE TABLE reading(station INTEGER, day INTEGER, temperature REAL, remark TEXT);

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO station SELECT i, printf('station-%03d', i * 7919 % 1000), i * 37 % 2900 FROM n;

BEGIN;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 899999)
INSERT INTO reading
SELECT i * 7 % 300 + 1, i / 300, (i * 1103515245 + 12345) % 2147483648 / 65536 % 400 / 10.0 - 10,
       CASE WHEN i % 11 = 0 THEN 'fog' WHEN i % 7 = 0 THEN 'rain and wind' ELSE NULL END
FROM n;
COMMIT;

CREATE INDEX by_day ON reading(day, station);

SELECT name, count(*), round(avg(temperature), 3), min(temperature), max(temperature)
FROM reading JOIN station ON station.id = reading.station
WHERE height > 1000 GROUP BY station.id ORDER BY avg(temperature) DESC, name LIMIT 5;

SELECT a.day, count(*) FROM reading a JOIN reading b ON b.day = a.day + 1 AND b.station = a.station
WHERE b.temperature > a.temperature + 20 GROUP BY a.day ORDER BY 2 DESC, 1 LIMIT 5;

SELECT upper(substr(remark, 1, 4)), count(*), sum(length(replace(remark, 'a', 'ee')))
FROM reading WHERE remark LIKE '%in%' OR remark LIKE 'f_g' GROUP BY 1 ORDER BY 1;

UPDATE reading SET temperature = temperature + (SELECT height / 1000 FROM station WHERE id = station) WHERE day % 5 = 0;
DELETE FROM reading WHERE station % 17 = 0;
SELECT count(*), round(sum(temperature), 2), count(DISTINCT day * 1000 + station) FROM reading;

WITH RECURSIVE primes(p) AS (SELECT 2 UNION ALL SELECT p + 1 FROM primes WHERE p < 5000)
SELECT count(*) FROM primes a WHERE NOT EXISTS (SELECT 1 FROM primes b WHERE b.p * b.p <= a.p AND a.p % b.p = 0);
