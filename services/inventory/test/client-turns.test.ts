import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { testLog } from '../../../tests/kit/observability/log.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { readsInTurn } from '../../../tests/kit/postgres/turns.ts';
import { testInventory } from './_inventory.ts';

const database = useDatabase('inventory');
const inventory = database.open((url) =>
  testInventory(url, { log: testLog('inventory', /A dependency is unavailable/) }),
);

it('many availability requests from one client address leave a connection for another', () =>
  readsInTurn(database.url, 'stock', (address) =>
    request(inventory.app).get(`/products/availability?id=${randomUUID()}`).set('x-envoy-external-address', address),
  ));
