-- All stations report at the same instant, every ten minutes.
insert into station_status (time, station_id, bikes_available, docks_available, category1, category2)
select timestamptz '2026-01-01 00:00Z' + instant * interval '10 minutes', station, bikes, 24 - bikes,
  (array['centre', 'harbour', 'campus', 'hills'])[station % 4 + 1], case when bikes = 0 then 'empty' end
from (
  select instant, station, (station * 31 + instant * 17 + station * instant % 7) % 25 as bikes
  from generate_series(0, 1999) as instant, generate_series(1, 100) as station
) as reports
where not exists (select from station_status);
