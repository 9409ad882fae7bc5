import { connect } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';
import { brokers } from '../../../../tests/kit/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createFixture, type Fixture } from './_fixture.ts';

let fixture: Fixture;

afterEach(() => fixture.close());

/** The number of the request "who leads this group" in Kafka's protocol; it stands behind four bytes of length. */
const findCoordinator = 10;

// The client takes it for final when no broker has named the group's coordinator, as while a broker is starting.
it('a broker that was not yet able to name the coordinator of a group ended the process', async () => {
  fixture = await createFixture();
  let refused = 0;
  let isStarting = true;
  const kafka = new Kafka({
    brokers,
    clientId: 'test',
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 50, maxRetryTime: 100, retries: 2 },
    socketFactory({ host, port, onConnect }) {
      const socket = connect(port, host, onConnect);
      const write = socket.write.bind(socket) as (bytes: Buffer) => boolean;
      socket.write = (bytes: unknown) => {
        if (!isStarting || !Buffer.isBuffer(bytes) || bytes.readInt16BE(4) !== findCoordinator)
          return write(bytes as Buffer);
        refused += 1;
        socket.destroy(new Error('The broker hangs up'));
        return false;
      };
      return socket;
    },
  });
  const givenUp: string[] = [];
  fixture.start(undefined, { kafka, onCrash: ({ name }) => givenUp.push(name) });
  await until('the coordinator was asked for in vain', () => refused > 0 && (givenUp.length > 0 || refused > 3));
  isStarting = false;

  const event = anEvent();
  await fixture.publish(event);
  await fixture.has(event);
  expect(givenUp).toEqual([]);
}, 120_000);
