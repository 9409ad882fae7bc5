import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { openAnyDatabase } from '../../../../tests/kit/postgres/open-database.ts';
import { until } from '../../../../tests/kit/until.ts';
import { type Statements, sql } from './sql.ts';

const server = useDatabase('payment');
const database = server.open((url) => openAnyDatabase(url, 8));
const single = server.open((url) => openAnyDatabase(url, 1));

const payment = (orderId: string) => ({
  orderId,
  customerId: orderId,
  status: 'CANCELLED',
  createdAt: new Date(),
  updatedAt: new Date(),
});
const countOf = ({ run }: Statements, orderId: string) =>
  run<{ count: number }>(sql`select count(*)::int as count from payments where order_id = ${orderId}::uuid`);

describe('a transaction', () => {
  it('uses one connection for its models and its statements', async () => {
    const orderId = randomUUID();
    await database.inTransaction(async (tx) => {
      await tx.payment.create({ data: payment(orderId) });
      expect(await countOf(tx, orderId)).toEqual([{ count: 1 }]);
      expect(await countOf(database, orderId)).toEqual([{ count: 0 }]);
    });
    expect(await countOf(database, orderId)).toEqual([{ count: 1 }]);
  });

  it('rolls both back if its work fails', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const work = database.inTransaction(async (tx) => {
      await tx.payment.create({ data: payment(first) });
      await tx.run(sql`
        insert into payments (order_id, customer_id, status, created_at, updated_at)
        values (${second}::uuid, ${second}::uuid, 'CANCELLED', now(), now())`);
      throw new Error('enough');
    });
    await expect(work).rejects.toThrow('enough');
    expect(await database.prisma.payment.count({ where: { orderId: { in: [first, second] } } })).toBe(0);
  });

  it('has its own connection, apart from concurrent and nested transactions', async () => {
    const pids = await Promise.all(
      Array.from({ length: 4 }, () =>
        database.inTransaction(async (tx) => {
          const pid = () => tx.run<{ pid: number }>(sql`select pg_backend_pid() as pid, pg_sleep(0.05)::text`);
          const [[before], [inner]] = [
            await pid(),
            await database.inTransaction((own) => own.run(sql`select 1 as pid`)),
          ];
          const [after] = await pid();
          expect(inner).toEqual({ pid: 1 });
          expect(after?.pid).toBe(before?.pid);
          return before?.pid;
        }),
      ),
    );
    expect(new Set(pids).size).toBe(4);
  });

  it('refuses statements after its end', async () => {
    const ended = await database.inTransaction(async (tx) => tx);
    await expect(ended.run(sql`select 1`)).rejects.toThrow('The transaction has ended');
    expect(() => ended.send(sql`select 1`)).toThrow('The transaction has ended');
  });

  it('notifies a channel once, after its commit, and not if it is rolled back', async () => {
    const heard: string[] = [];
    const listener = new pg.Client({ connectionString: server.url });
    server.closeLater({ close: () => listener.end() });
    listener.on('notification', ({ channel }) => heard.push(channel));
    await listener.connect();
    await listener.query('listen lost; listen kept');
    const failing = database.inTransaction(async (tx) => {
      tx.notifyAfterCommit('lost');
      throw new Error('enough');
    });
    await expect(failing).rejects.toThrow('enough');
    await database.inTransaction(async (tx) => {
      tx.notifyAfterCommit('kept');
      tx.notifyAfterCommit('kept');
      await listener.query('select 1');
      expect(heard).toEqual([]);
    });
    await until('the notification has arrived', () => heard.length > 0);
    await listener.query('select 1');
    expect(heard).toEqual(['kept']);
  });
});

describe('a statement that a transaction sends', () => {
  const insert = (orderId: string) => sql`
    insert into payments (order_id, customer_id, status, created_at, updated_at)
    values (${orderId}::uuid, ${orderId}::uuid, 'CANCELLED', now(), now())`;
  const isStored = async (orderId: string) => (await countOf(database, orderId))[0]?.count === 1;

  it('is not waited for, and is carried out before those that follow', async () => {
    const orderId = randomUUID();
    await database.inTransaction(async (tx) => {
      const began = performance.now();
      tx.send(sql`select pg_sleep(0.3)::text`);
      tx.send(insert(orderId));
      expect(performance.now() - began).toBeLessThan(200);
      expect(await countOf(tx, orderId)).toEqual([{ count: 1 }]);
      expect(performance.now() - began).toBeGreaterThan(290);
    });
    expect(await isStored(orderId)).toBe(true);
  });

  it.each(['nothing follows', 'a statement follows', 'the work fails for another reason'])(
    'fails the transaction with its own error: %s',
    async (then) => {
      const [before, after] = [randomUUID(), randomUUID()];
      const work = database.inTransaction(async (tx) => {
        tx.send(insert(before));
        tx.send(insert(before));
        tx.send(insert(after));
        if (then === 'a statement follows') await countOf(tx, before);
        if (then === 'the work fails for another reason') throw new Error('enough');
      });
      await expect(work).rejects.toMatchObject({ code: '23505' });
      expect([await isStored(before), await isStored(after)]).toEqual([false, false]);
    },
  );

  it('is repeated with its transaction if another one is in the way', async () => {
    const orderId = randomUUID();
    let attempts = 0;
    await database.inTransaction((tx) => {
      attempts += 1;
      tx.send(insert(orderId));
      if (attempts === 1) tx.send(sql`do 'begin raise exception using errcode = ''40001''; end'`);
    });
    expect(attempts).toBe(2);
    expect(await isStored(orderId)).toBe(true);
  });

  it('can be sent again on a connection where it was refused as the first of its text, because an earlier one had failed', async () => {
    const text = sql`select 1 as sent_after_a_failure`;
    const failing = single.inTransaction((tx) => {
      tx.send(sql`select 1 / 0`);
      tx.send(text);
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    for (let time = 1; time <= 2; time += 1)
      expect(await single.inTransaction((tx) => tx.run(text))).toEqual([{ sent_after_a_failure: 1 }]);
  });

  it('is lost with its connection, together with those before it', async () => {
    const orderId = randomUUID();
    const work = database.inTransaction((tx) => {
      tx.send(insert(orderId));
      tx.send(sql`select pg_terminate_backend(pg_backend_pid())`);
      tx.send(sql`select 1`);
    });
    await expect(work).rejects.toThrow();
    expect(await isStored(orderId)).toBe(false);
  });
});
