import { openOut } from '@store/shared/contracts/dead-letters';
import { stuckOrdersOut } from '@store/shared/contracts/order-record';
import { collecting, type Services } from '../services-client.ts';
import type { Counted } from './history.ts';

/** Asks those who have a group for their open dead letters, and order for orders that are PENDING for too long. */
export function counting(services: Services, groups: string[]) {
  return async (): Promise<Counted> => {
    const { or, problems } = collecting();
    const [stuck, ...counts] = await Promise.all([
      or(null, services.get('order', '/internal/stuck-orders?size=1', stuckOrdersOut)),
      ...groups.map((service) => or(null, services.get(service, '/internal/dead-letters/count', openOut))),
    ]);
    const letters = counts.flatMap((count) => count?.open ?? []);
    return {
      letters: letters.length === 0 ? null : letters.reduce((sum, open) => sum + open, 0),
      stuck: stuck?.total ?? null,
      problems,
    };
  };
}
