insert into products (id, created_at, name, price, unit, category, description)
select gen_random_uuid(), clock_timestamp(), name, (25 + n * 7919 % 9975) / 100.0,
  (array['box', 'kg', 'packet', 'litre', 'piece'])[n % 5 + 1], category,
  format('%s of the kind that a shop sells. Number %s of 1000 samples.', initcap(kind), n + 1)
from (
  select n, kind, category, format('Sample %s %s', kind, to_char(n + 1, 'FM0000')) as name
  from generate_series(0, 999) as n join (values
    (0, 'tea', 'Drinks'), (1, 'coffee', 'Drinks'), (2, 'biscuits', 'Food'), (3, 'honey', 'Food'), (4, 'rice', 'Food'),
    (5, 'lentils', 'Food'), (6, 'olive oil', 'Food'), (7, 'soap', 'Household'), (8, 'candles', 'Household'),
    (9, 'paper', 'Household')
  ) as kinds (number, kind, category) on n % 10 = number
  order by n
) as samples
where not exists (select from products where products.name = samples.name);
