import { openOut } from '@store/shared/contracts/dead-letters';
import { stuckOrdersOut } from '@store/shared/contracts/order-record';
import { messageOf } from '@store/shared/values/errors';
import type { Services } from '../services-client.ts';
import type { Counted } from './history.ts';

/** Asks those who have a group for their open dead letters, and order for orders that are PENDING for too long. */
export function counting(services: Services, groups: string[]) {
  return async (): Promise<Counted> => {
    const problems: string[] = [];
    const orUnknown = <T>(asked: Promise<T>): Promise<T | undefined> =>
      asked.catch((error) => {
        problems.push(messageOf(error));
        return undefined;
      });
    const [stuck, ...counts] = await Promise.all([
      orUnknown(services.get('order', '/internal/stuck-orders?size=1', stuckOrdersOut)),
      ...groups.map((service) => orUnknown(services.get(service, '/internal/dead-letters/count', openOut))),
    ]);
    const letters = counts.flatMap((count) => count?.open ?? []);
    return {
      letters: letters.length === 0 ? null : letters.reduce((sum, open) => sum + open, 0),
      stuck: stuck?.total ?? null,
      problems,
    };
  };
}
