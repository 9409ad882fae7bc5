import { messageOf } from '@store/shared/values/errors';
import type { Services } from '../services-client.ts';
import type { Counted } from './history.ts';

/** Asks those who have a group for their open dead letters, and order for orders that are PENDING for too long. */
export function counting(services: Services, groups: string[]) {
  return async (): Promise<Counted> => {
    const problems: string[] = [];
    async function ask<T>(service: string, path: string, read: (body: never) => T): Promise<T | undefined> {
      try {
        return read((await services.get(service, path)) as never);
      } catch (error) {
        problems.push(messageOf(error));
        return undefined;
      }
    }
    const open = ({ open }: { open: number }) => open;
    const [stuck = null, ...letters] = await Promise.all([
      ask('order', '/internal/stuck-orders?size=1', ({ total }: { total: number }) => total),
      ...groups.map((service) => ask(service, '/internal/dead-letters/count', open)),
    ]);
    const answered = letters.filter((count) => count !== undefined);
    return { letters: answered.length === 0 ? null : answered.reduce((sum, count) => sum + count, 0), stuck, problems };
  };
}
