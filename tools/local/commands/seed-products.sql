insert into products (id, created_at, name, price, unit)
select gen_random_uuid(), clock_timestamp(), name, (25 + n * 7919 % 9975) / 100.0,
  (array['box', 'kg', 'packet', 'litre', 'piece'])[n % 5 + 1]
from (
  select n, format('Sample %s %s', kinds[n % 10 + 1], to_char(n + 1, 'FM0000')) as name
  from generate_series(0, 999) as n,
    (values (array['tea', 'coffee', 'biscuits', 'honey', 'rice', 'lentils', 'olive oil', 'soap', 'candles', 'paper']))
      as names (kinds)
) as samples
where not exists (select from products where products.name = samples.name);
