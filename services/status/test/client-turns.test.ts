import { testLog } from '../../../tests/kit/observability/log.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { readsInTurn } from '../../../tests/kit/postgres/turns.ts';
import { testApp } from './_app.ts';

const database = useDatabase('status');
const status = database.open((url) => testApp(url, {}, testLog('status', /A dependency is unavailable/)));

it('many pages for one client address leave a connection for another', () =>
  readsInTurn(database.url, 'station_status', (address) => status.get().set('x-envoy-external-address', address)));
